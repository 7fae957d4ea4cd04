/** The duration of a fixed-time response: many times what the database needs, and too short for users to notice. */
const RESPONSE_MS = 20;
/** A timer counts whole milliseconds from when the event loop last woke, so it may fire this much later than asked. */
const TIMER_ERROR_MS = 2;

/**
 * Starts the clock. Returns a function that resolves 20 ms after the start, however long the work in between took, or
 * immediately if it took longer. For responses whose time must not reveal what was found.
 */
export function startFixedTime(): () => Promise<void> {
  const due = performance.now() + RESPONSE_MS;
  return () => new Promise((resolve) => waitUntil(due, resolve));
}

/** Settles with the result of `work`, 20 ms after the start of `work`. */
export async function inFixedTime<T>(work: () => Promise<T>): Promise<T> {
  const end = startFixedTime();
  try {
    return await work();
  } finally {
    await end();
  }
}

/**
 * A timer alone would reveal, by fractions of a millisecond, when the work ended, because that is when the event loop
 * became idle. So the timer ends early, and the event loop then runs without sleeping until the exact moment.
 */
function waitUntil(due: number, resolve: () => void): void {
  const left = due - performance.now();
  if (left <= 0) resolve();
  else if (left <= TIMER_ERROR_MS) setImmediate(waitUntil, due, resolve);
  else setTimeout(waitUntil, left - TIMER_ERROR_MS, due, resolve);
}

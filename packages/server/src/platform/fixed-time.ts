/** How long such an answer takes: many times what the database needs, and less than anybody notices. */
const ANSWER_MS = 20;
/** A timer counts whole milliseconds from when the event loop last woke, so it may fire this much later than asked. */
const TIMER_ERROR_MS = 2;

/**
 * Starts now. The function it returns resolves 20 ms after the start, however long the work in between took; at once
 * when it took longer. For answers that must not tell by their time what was found.
 */
export function startFixedTime(): () => Promise<void> {
  const due = performance.now() + ANSWER_MS;
  return () => new Promise((resolve) => waitUntil(due, resolve));
}

/** Settles as the work does, 20 ms after it began. */
export async function inFixedTime<T>(work: () => Promise<T>): Promise<T> {
  const end = startFixedTime();
  try {
    return await work();
  } finally {
    await end();
  }
}

/**
 * A timer alone would repeat, below its millisecond, when the work ended: that is when the loop went to sleep. So the timer
 * ends early, and the loop turns until the very moment.
 */
function waitUntil(due: number, resolve: () => void): void {
  const left = due - performance.now();
  if (left <= 0) resolve();
  else if (left <= TIMER_ERROR_MS) setImmediate(waitUntil, due, resolve);
  else setTimeout(waitUntil, left - TIMER_ERROR_MS, due, resolve);
}

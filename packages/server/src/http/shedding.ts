interface Shedding {
  /** True: answer 429 rather than make everybody wait. */
  overloaded(inFlight: number): boolean;
  stop(): void;
}

const PROBES: readonly string[] = ['/healthz', '/readyz'];

/**
 * Answered under overload too. Without the key set and the revocation feed every API behind the service fails closed,
 * and a balancer that takes a replica out moves its load to the others.
 */
export const isNeverShed = (url: string): boolean =>
  url.startsWith('/.well-known/') || PROBES.includes(url.split('?', 1)[0]!);

const MAX_IN_FLIGHT = 2_000;
const TICK_MS = 20;
const LOOK_MS = 250;
const LATE_LOOKS = 2;

interface LoadOptions {
  /** What a request may have waited for its turn before the next ones are refused. */
  readonly maxDelayMs: number;
}

/**
 * Looks at the event loop four times a second, or once in each of its turns when they are longer: a request waits as long as nine of
 * ten ticks are apart at most. One long stop (a garbage collection, a machine that slept) is over when it is seen; only when the next
 * look finds another is it a load. Node's own histogram would not do: after a reset it counts from the second tick on, so of turns
 * that are longer than a look it has nothing to tell.
 */
export function watchLoad({ maxDelayMs }: LoadOptions): Shedding {
  let lateLooks = 0;
  let lastTick = performance.now();
  let lastLook = lastTick;
  let gaps: number[] = [];
  const timer = setInterval(() => {
    const now = performance.now();
    gaps.push(now - lastTick);
    lastTick = now;
    if (now - lastLook < LOOK_MS) return;
    const wait = gaps.sort((one, other) => one - other)[Math.ceil(gaps.length * 0.9) - 1]!;
    lateLooks = wait > maxDelayMs ? lateLooks + 1 : 0;
    lastLook = now;
    gaps = [];
  }, TICK_MS);
  timer.unref();
  return {
    overloaded: (inFlight) => lateLooks >= LATE_LOOKS || inFlight > MAX_IN_FLIGHT,
    stop: () => clearInterval(timer),
  };
}

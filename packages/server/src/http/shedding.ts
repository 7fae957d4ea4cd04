import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

interface Shedding {
  /** True: answer 429 rather than make everybody wait. */
  overloaded(inFlight: number): boolean;
  stop(): void;
}

/** Whether the process lives is answered also while it is overloaded. */
export const NEVER_SHED = '/healthz';

const MAX_IN_FLIGHT = 2_000;
const SAMPLE_MS = 250;
const LATE_LOOKS = 2;

interface LoadOptions {
  /** What a request may have waited for its turn before the next ones are refused. */
  maxDelayMs: number;
  delay?: Pick<IntervalHistogram, 'enable' | 'disable' | 'reset' | 'count' | 'percentile'>;
}

/**
 * Looks at the event loop four times a second: a request waits as long as it is late. One long stop (a
 * garbage collection, a machine that slept) is over when it is seen; only when the next look finds another is it a load.
 */
export function watchLoad({ maxDelayMs, delay = monitorEventLoopDelay({ resolution: 20 }) }: LoadOptions): Shedding {
  delay.enable();
  let lateLooks = 0;
  let lastLook = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // It counts from the second tick after a reset: of a loop whose every turn is longer than a look it knows nothing.
    const late = delay.count > 0 ? delay.percentile(90) / 1e6 : now - lastLook;
    lateLooks = late > maxDelayMs ? lateLooks + 1 : 0;
    lastLook = now;
    delay.reset();
  }, SAMPLE_MS);
  timer.unref();
  return {
    overloaded: (inFlight) => lateLooks >= LATE_LOOKS || inFlight > MAX_IN_FLIGHT,
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Shedding {
  /** True: answer 429 rather than make everybody wait. */
  overloaded(inFlight: number): boolean;
  stop(): void;
}

const MAX_IN_FLIGHT = 2_000;
const MAX_DELAY_MS = 500;
const SAMPLE_MS = 250;

/** Looks at the event loop four times a second: what has waited half a second has waited long enough. */
export function watchLoad(): Shedding {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let late = false;
  const timer = setInterval(() => {
    late = delay.percentile(90) / 1e6 > MAX_DELAY_MS;
    delay.reset();
  }, SAMPLE_MS);
  timer.unref();
  return {
    overloaded: (inFlight) => late || inFlight > MAX_IN_FLIGHT,
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

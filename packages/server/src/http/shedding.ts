import type { ServerResponse } from 'node:http';

export interface Shedding {
  /** True if the request should get 429 instead of delaying all others. */
  overloaded(): boolean;
  /** Counts a request until its response is sent or its connection closes. */
  count(response: ServerResponse): void;
  stop(): void;
}

const PROBES: readonly string[] = ['/healthz', '/readyz'];

/**
 * Whether the request is answered under overload too (docs/reference/http.md#overload). Without the key set and the
 * revocation feed, every API behind the service fails closed; without the probes, a load balancer would remove this
 * replica and move its load to the others.
 */
export const isNeverShed = (url: string): boolean =>
  url.startsWith('/.well-known/') || PROBES.includes(url.split('?', 1)[0]!);

const MAX_IN_FLIGHT = 2_000;
const TICK_MS = 20;
const CHECK_INTERVAL_MS = 250;
const LATE_CHECKS = 2;

interface LoadOptions {
  /** The event-loop delay above which requests are rejected. */
  readonly maxDelayMs: number;
}

/**
 * Checks the event loop four times a second, or once per iteration if that is longer: the delay is the 90th percentile
 * of the gaps between ticks. A single pause (garbage collection, a suspended machine) is over when it is seen; two late
 * checks in a row are an overload. Node's own histogram is unsuitable: after a reset it starts at the second tick, so
 * it has no data if an iteration is longer than the interval.
 */
export function watchLoad({ maxDelayMs }: LoadOptions): Shedding {
  let inFlight = 0;
  let lateChecks = 0;
  let lastTick = performance.now();
  let lastCheck = lastTick;
  let gaps: number[] = [];
  const timer = setInterval(() => {
    const now = performance.now();
    gaps.push(now - lastTick);
    lastTick = now;
    if (now - lastCheck < CHECK_INTERVAL_MS) return;
    const wait = gaps.sort((one, other) => one - other)[Math.ceil(gaps.length * 0.9) - 1]!;
    lateChecks = wait > maxDelayMs ? lateChecks + 1 : 0;
    lastCheck = now;
    gaps = [];
  }, TICK_MS);
  timer.unref();
  return {
    overloaded: () => lateChecks >= LATE_CHECKS || inFlight > MAX_IN_FLIGHT,
    count(response) {
      // A pipelined request has no socket until the one before it is answered, and would emit no `close` if the client
      // disconnected before that. Not counting it also means that a connection takes one slot, whatever it sends.
      if (response.socket === null) return;
      inFlight++;
      response.once('close', () => inFlight--);
    },
    stop: () => clearInterval(timer),
  };
}

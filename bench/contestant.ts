import { type Load, load, percentile } from './load.ts';

export interface Count {
  /** Requests or calls per second. */
  readonly rate: number;
  /** Percentiles of the duration, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** The number of requests, by which CPU time is divided. */
  readonly total: number;
}

export interface Contestant {
  readonly name: string;
  /** The processes whose CPU time is counted, each with its descendants. */
  readonly pids: readonly number[];
  /** The role of this process: load generator, or the work itself. */
  readonly here: 'load' | 'service';
  /** The name of the contestant to compare with; default: the first. */
  readonly against?: string;
  /** What a peer does per request, for the reader of the results. */
  readonly note?: string;
  /** Called before every measurement; not measured. */
  prepare?(seconds: number): Promise<void>;
  shoot(seconds: number): Promise<Count>;
}

interface RequestOptions extends Load {
  readonly name: string;
  readonly note?: string;
  readonly pids: readonly number[];
  prepare?(seconds: number): Promise<void>;
}

/** Requests over a number of connections. A status other than 2xx, or a response that `read` rejects, is an error. */
export const requests = ({ name, note, pids, prepare, ...target }: RequestOptions): Contestant => ({
  name,
  pids,
  here: 'load',
  ...(note && { note: `${name}: ${note}` }),
  ...(prepare && { prepare }),
  async shoot(seconds) {
    const tally = await load(target, seconds);
    const failures = [...tally.statuses].filter(([status]) => !isGood(status));
    const failed = failures.reduce((sum, [, count]) => sum + count, 0);
    for (const [status, count] of failures)
      console.error(`  ${name}: ${count} of ${tally.answers} responses had status ${status}`);
    return {
      rate: tally.answers / tally.seconds,
      p50: percentile(tally.times, 0.5),
      p99: percentile(tally.times, 0.99),
      errors: failed + tally.lost + tally.wrong + tally.unsent,
      total: tally.answers,
    };
  },
});

const isGood = (status: number): boolean => status >= 200 && status < 300;

interface Work {
  readonly name: string;
  readonly atOnce: number;
  readonly here?: 'load';
  readonly pids?: readonly number[];
  once(lane: number): unknown;
}

const YIELD_INTERVAL_MS = 50;

export const work = ({ name, atOnce, once, here, pids = [] }: Work): Contestant => ({
  name,
  pids,
  here: here ?? 'service',
  async shoot(seconds) {
    const times: number[] = [];
    let errors = 0;
    let yieldedAt = performance.now();
    const end = yieldedAt + seconds * 1000;
    const lane = async (_: unknown, index: number) => {
      for (let now = performance.now(); now < end; ) {
        const begun = now;
        try {
          await once(index);
        } catch {
          errors++;
        }
        now = performance.now();
        times.push(now - begun);
        // Yields to the event loop, so that signals are handled.
        if (now - yieldedAt > YIELD_INTERVAL_MS) {
          await new Promise(setImmediate);
          yieldedAt = performance.now();
        }
      }
    };
    const begun = performance.now();
    await Promise.all(Array.from({ length: atOnce }, lane));
    const elapsed = (performance.now() - begun) / 1000;
    const sorted = Float64Array.from(times).sort();
    return {
      rate: times.length / elapsed,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      errors,
      total: times.length,
    };
  },
});

import { type Load, load, percentile } from './load.ts';

/** What was counted in a while. */
export interface Count {
  /** A second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** What CPU time is divided by. */
  readonly total: number;
}

export interface Contestant {
  readonly name: string;
  /** The processes whose CPU time is counted, each with all below it. */
  readonly pids: readonly number[];
  /** What this process does: the asking, or the work itself. */
  readonly here: 'load' | 'service';
  /** By name, whose rate its own is held against. Left out: the first one's. */
  readonly against?: string;
  /** Before every shot, and not measured. */
  prepare?(seconds: number): Promise<void>;
  shoot(seconds: number): Promise<Count>;
}

interface Asked extends Load {
  readonly name: string;
  readonly pids: readonly number[];
  prepare?(seconds: number): Promise<void>;
}

/** Requests over so many connections. Whatever is not 2xx is an error. */
export const requests = ({ name, pids, prepare, ...target }: Asked): Contestant => ({
  name,
  pids,
  here: 'load',
  ...(prepare && { prepare }),
  async shoot(seconds) {
    const tally = await load(target, seconds);
    const refused = [...tally.statuses].reduce((sum, [status, count]) => sum + (isGood(status) ? 0 : count), 0);
    return {
      rate: tally.answers / tally.seconds,
      p50: percentile(tally.times, 0.5),
      p99: percentile(tally.times, 0.99),
      errors: refused + tally.lost + tally.unsent,
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

const BREATH = 50;

/** Any work in this process, so many at once. */
export const work = ({ name, atOnce, once, here, pids = [] }: Work): Contestant => ({
  name,
  pids,
  here: here ?? 'service',
  async shoot(seconds) {
    const times: number[] = [];
    let errors = 0;
    let breath = performance.now();
    const end = breath + seconds * 1000;
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
        // Work without a pause would not let a signal in.
        if (now - breath > BREATH) {
          await new Promise(setImmediate);
          breath = performance.now();
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

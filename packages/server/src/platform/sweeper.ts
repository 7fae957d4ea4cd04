import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Config } from './config/settings.ts';
import type { Db } from './db/connect.ts';
import { tryLease } from './db/lease.ts';
import { tryLock } from './db/lock.ts';
import type { Logger } from './log.ts';

/** One kind of row that ends. `sweep` removes at most `limit` and tells how many it did. */
export interface SweepTask {
  readonly name: string;
  sweep(db: Db, now: Date, limit: number, config: Config): Promise<number>;
}

interface SweeperDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: Config;
}

export interface Sweeper {
  start(): void;
  stop(): Promise<void>;
  /** One whole pass, for tests and for the loop. True: there was more than it does at a time. */
  pass(): Promise<boolean>;
}

const EVERY = 30_000;
/** After a pass that left something. */
const SOON = 200;
const BATCH = 1_000;
const BATCHES_A_PASS = 50;
const PAUSE = 20;
/** Seconds. A little less than `EVERY`: who had the turn last finds it free. */
export const TURN = 29;
export const SWEEP_LEASE = 'sweep';

/**
 * Removes what has ended, in small batches with pauses, by one replica at a time: whoever finds the turn free. An idle replica asks one
 * question in half a minute. Each batch has a transaction and a lock of its own, so that a pass that outlasts its turn does no harm.
 */
export function createSweeper({ db, clock, log, config }: SweeperDeps, tasks: readonly SweepTask[]): Sweeper {
  const abort = new AbortController();
  let loop: Promise<void> = Promise.resolve();

  const batch = (task: SweepTask): Promise<number> =>
    db
      .transaction()
      .execute(async (tx) =>
        (await tryLock(tx, `sweep ${task.name}`)) ? task.sweep(tx, clock.now(), BATCH, config) : 0,
      );

  /** True: as much as is done at a time, and there may be more. */
  const sweepSome = async (task: SweepTask): Promise<boolean> => {
    for (let done = 0; done < BATCHES_A_PASS; done++) {
      if (abort.signal.aborted || (await batch(task)) < BATCH) return false;
      await sleep(PAUSE);
    }
    return true;
  };

  const pass = async (): Promise<boolean> => {
    let more = false;
    for (const task of tasks) {
      try {
        if (await sweepSome(task)) more = true;
      } catch (error) {
        log.warn({ err: error, task: task.name }, 'a sweep failed; it will be retried');
      }
    }
    return more;
  };

  const hasLease = (): Promise<boolean> =>
    tryLease(db, SWEEP_LEASE, TURN).catch((error) => {
      log.warn({ err: error }, 'the sweep lease could not be acquired; it will be retried');
      return false;
    });

  const rest = (time: number): Promise<void> =>
    sleep(time, undefined, { signal: abort.signal, ref: false }).catch(() => {});

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await rest(EVERY);
      if (abort.signal.aborted || !(await hasLease())) continue;
      while (await pass()) await rest(SOON);
    }
  };

  return {
    start() {
      loop = run();
    },
    async stop() {
      abort.abort();
      await loop;
    },
    pass,
  };
}

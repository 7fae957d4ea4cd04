import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Config } from './config/settings.ts';
import type { Db } from './db/connect.ts';
import { tryLease } from './db/lease.ts';
import { tryLock } from './db/lock.ts';
import type { Logger } from './log.ts';

/** Deletes one kind of expired row. `sweep` deletes at most `limit` rows and returns their number. */
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
  /** Runs all tasks once. Returns true if one of them reached its limit and more rows may be left. */
  pass(): Promise<boolean>;
}

const SWEEP_INTERVAL_MS = 30_000;
/** The delay after a pass that left rows. */
const NEXT_PASS_MS = 200;
const BATCH = 1_000;
const BATCHES_PER_PASS = 50;
const PAUSE_MS = 20;
/** A little less than `SWEEP_INTERVAL_MS`, so that the replica that had the lease last finds it free. */
export const SWEEP_LEASE_SECONDS = 29;
export const SWEEP_LEASE = 'sweep';

/**
 * Deletes expired rows in small batches with pauses, on the one replica that gets the lease. An idle replica sends one
 * query in half a minute. Each batch has its own transaction and lock, so a pass that outlasts its lease is harmless.
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

  /** Returns true if the task reached its limit and more rows may be left. */
  const sweepSome = async (task: SweepTask): Promise<boolean> => {
    for (let done = 0; done < BATCHES_PER_PASS; done++) {
      if (abort.signal.aborted || (await batch(task)) < BATCH) return false;
      await sleep(PAUSE_MS);
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
    tryLease(db, SWEEP_LEASE, SWEEP_LEASE_SECONDS).catch((error) => {
      log.warn({ err: error }, 'the sweep lease could not be acquired; it will be retried');
      return false;
    });

  const rest = (time: number): Promise<void> =>
    sleep(time, undefined, { signal: abort.signal, ref: false }).catch(() => {});

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await rest(SWEEP_INTERVAL_MS);
      if (abort.signal.aborted || !(await hasLease())) continue;
      while (await pass()) await rest(NEXT_PASS_MS);
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

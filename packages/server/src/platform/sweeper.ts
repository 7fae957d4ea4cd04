import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Db } from './db/connect.ts';
import { tryLock } from './db/lock.ts';
import type { Logger } from './log.ts';

/** One kind of row that ends. `sweep` removes at most `limit` and tells how many it did. */
export interface SweepTask {
  readonly name: string;
  sweep(db: Db, now: Date, limit: number): Promise<number>;
}

export interface Sweeper {
  start(): void;
  stop(): Promise<void>;
  /** One whole pass, for tests and for the loop. */
  pass(): Promise<void>;
}

const EVERY = 30_000;
const BATCH = 1_000;
const BATCHES_A_PASS = 50;
const PAUSE = 20;

/** Removes what has ended, in small batches with pauses, by one replica at a time: whoever holds the lock of the moment. */
export function createSweeper(db: Db, clock: Clock, log: Logger, tasks: readonly SweepTask[]): Sweeper {
  const abort = new AbortController();
  let loop: Promise<void> = Promise.resolve();

  const batch = (task: SweepTask): Promise<number> =>
    db
      .transaction()
      .execute(async (tx) => ((await tryLock(tx, `sweep ${task.name}`)) ? task.sweep(tx, clock.now(), BATCH) : 0));

  const pass = async (): Promise<void> => {
    for (const task of tasks) {
      try {
        for (let done = 0; done < BATCHES_A_PASS && !abort.signal.aborted; done++) {
          if ((await batch(task)) < BATCH) break;
          await sleep(PAUSE);
        }
      } catch (error) {
        log.warn({ err: error, task: task.name }, 'a sweep failed; it is tried again');
      }
    }
  };

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await sleep(EVERY, undefined, { signal: abort.signal, ref: false }).catch(() => {});
      if (!abort.signal.aborted) await pass();
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

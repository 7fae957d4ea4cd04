import type { Db, Tx } from './connect.ts';
import { isRetryable } from './errors.ts';

/** An error that is thrown after the commit, so that, for example, a wrong code is still counted and audited. */
export class CommittedFailure {
  readonly error: Error;
  constructor(error: Error) {
    this.error = error;
  }
}

export const commitAndFail = (error: Error): CommittedFailure => new CommittedFailure(error);

type Delivery = () => void | Promise<void>;
const deliveries = new WeakMap<Tx | Db, Delivery[]>();

/** Registers work for after the commit: wake a worker, drop a cache entry. Returns false outside of `transact`. */
export function afterCommit(tx: Tx | Db, delivery: Delivery): boolean {
  const pending = deliveries.get(tx);
  pending?.push(delivery);
  return pending !== undefined;
}

const ATTEMPTS = 3;

/**
 * Runs SQL and audit in one transaction. `throw` rolls back, `return commitAndFail(error)` commits and then throws. The
 * transaction is repeated after a deadlock or serialization failure, so `work` must be SQL only; deliveries run after
 * the commit.
 */
export async function transact<T>(
  db: Db,
  work: (tx: Tx) => Promise<T | CommittedFailure>,
): Promise<Exclude<T, CommittedFailure>> {
  const { result, pending } = await commit(db, work);
  for (const delivery of pending) await delivery();
  if (result instanceof CommittedFailure) throw result.error;
  return result as Exclude<T, CommittedFailure>;
}

/** For a single statement, which is its own transaction: repeats it after a deadlock or serialization failure. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

/** Discards the deliveries of a failed attempt. */
const commit = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<{ result: T; pending: Delivery[] }> =>
  retry(async () => {
    const pending: Delivery[] = [];
    const result = await db.transaction().execute((tx) => {
      deliveries.set(tx, pending);
      return work(tx);
    });
    return { result, pending };
  });

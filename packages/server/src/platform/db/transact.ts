import type { Db, Tx } from './connect.ts';
import { isRetryable } from './errors.ts';

/** A failure that keeps what was written: a wrong code must leave its counter and its audit row. */
class CommittedFailure {
  readonly error: Error;
  constructor(error: Error) {
    this.error = error;
  }
}

export const commitAndFail = (error: Error): CommittedFailure => new CommittedFailure(error);

type Delivery = () => void | Promise<void>;
const deliveries = new WeakMap<Tx | Db, Delivery[]>();

/** What must happen once the transaction holds, and only then: wake a worker, drop a cache entry. False: there is none. */
export function afterCommit(tx: Tx | Db, delivery: Delivery): boolean {
  const pending = deliveries.get(tx);
  pending?.push(delivery);
  return pending !== undefined;
}

const ATTEMPTS = 3;

/**
 * Runs SQL and audit in one transaction. `throw` rolls back, `return refuse(error)` commits and then throws. A deadlock or
 * a serialization failure is tried again, so `work` holds nothing but SQL; its deliveries run after the commit.
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

/** For a single statement, which is a transaction of its own: a deadlock or a serialization failure is tried again. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

/** What was to be delivered by an attempt that did not hold is forgotten with it. */
const commit = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<{ result: T; pending: Delivery[] }> =>
  retry(async () => {
    const pending: Delivery[] = [];
    const result = await db.transaction().execute((tx) => {
      deliveries.set(tx, pending);
      return work(tx);
    });
    return { result, pending };
  });

import { sql } from 'kysely';
import type { Tx } from './connect.ts';

/** Takes a named lock until the transaction ends. Returns false if another transaction has it. */
export async function tryLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtext(${`gatehouse ${name}`})) as free`.execute(tx);
  return rows[0]?.free === true;
}

/**
 * Takes the named lock in shared mode, which excludes only `tryLock` and `lock`. Returns false if one of those has it.
 * Transactions that take it then stay idle for long. A statement with parameters would leave them with a snapshot until
 * the next statement, and a concurrent index build waits for every older snapshot: therefore the name is a literal.
 */
export async function tryShareLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtext(${sql.lit(`gatehouse ${name}`)})) as free`.execute(tx);
  return rows[0]?.free === true;
}

/** Takes the named lock in shared mode, which excludes only `tryLock` and `lock`. Waits for it. */
export async function shareLock(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}

/** Like `tryLock`, but waits for the lock. */
export async function lock(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}

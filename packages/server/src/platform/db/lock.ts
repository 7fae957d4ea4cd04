import { sql } from 'kysely';
import type { Tx } from './connect.ts';

/** A lock by name until the transaction ends; false when another replica holds it. */
export async function tryLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtext(${`gatehouse ${name}`})) as free`.execute(tx);
  return rows[0]?.free === true;
}

/**
 * Many may hold it so at once, and nobody meanwhile as above or below; false when somebody does. It is held by transactions that then
 * do nothing for long. A statement with parameters would leave them a snapshot until the next one, and an index that is built beside
 * the service waits for every older snapshot: so the name is written out.
 */
export async function tryShareLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtext(${sql.lit(`gatehouse ${name}`)})) as free`.execute(tx);
  return rows[0]?.free === true;
}

/** As `tryLock`, waiting for it. */
export async function lock(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}

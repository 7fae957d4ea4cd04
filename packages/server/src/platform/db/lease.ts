import { sql } from 'kysely';
import type { Db } from './connect.ts';

/**
 * Acquires a lease for work that one replica does for all. Returns true if it was free. Uses the clock of the database,
 * which all replicas share. If that clock was set back, a lease may end later than a new one would: it then counts as
 * free. Unlike a lock, a lease outlives its transaction and works through a pooler.
 */
export async function tryLease(db: Db, name: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into turns (name, taken_until) values (${name}, clock_timestamp() + ${seconds}::int * interval '1 second')
    on conflict (name) do update set taken_until = excluded.taken_until 
      where not turns.taken_until between clock_timestamp() and excluded.taken_until
    returning name`.execute(db);
  return rows.length > 0;
}

/** The lease of serving processes, for use behind a pooler, where `listServing` cannot see them. */
export const SERVED = 'served';

/** Takes or extends the lease, no matter who has it. */
export const forceLease = (db: Db, name: string, seconds: number) =>
  sql`insert into turns (name, taken_until) values (${name}, clock_timestamp() + ${seconds}::int * interval '1 second')
    on conflict (name) do update set taken_until = excluded.taken_until`.execute(db);

/** Whether the lease is taken. An end more than a day ahead comes from a wrong clock and is ignored. */
export async function isLeaseTaken(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from turns where name = ${name}
      and taken_until between clock_timestamp() and clock_timestamp() + interval '1 day'`.execute(db);
  return rows.length > 0;
}

/** When the lease ends or ended, by the clock of the database; null if it was never taken. */
export async function findLeaseEnd(db: Db, name: string): Promise<Date | null> {
  const row = await db.selectFrom('turns').select('taken_until').where('name', '=', name).executeTakeFirst();
  return row?.taken_until ?? null;
}

import { sql } from 'kysely';
import type { Db } from './connect.ts';

/**
 * Work that one replica does for all: true for whoever finds the turn free, and it is theirs for so many seconds. By the clock of the
 * database, which all of them share; a turn from beyond its own length was given by a clock that has been set back since. Unlike a lock it outlives its transaction, and a pooler in between.
 */
export async function tryLease(db: Db, name: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into turns (name, taken_until) values (${name}, clock_timestamp() + ${seconds}::int * interval '1 second')
    on conflict (name) do update set taken_until = excluded.taken_until 
      where not turns.taken_until between clock_timestamp() and excluded.taken_until
    returning name`.execute(db);
  return rows.length > 0;
}

/** Held while somebody serves, where connections do not tell: behind a pooler. */
export const SERVED = 'served';

/** Whoever holds it, it is held for so many seconds from now. */
export const forceLease = (db: Db, name: string, seconds: number) =>
  sql`insert into turns (name, taken_until) values (${name}, clock_timestamp() + ${seconds}::int * interval '1 second')
    on conflict (name) do update set taken_until = excluded.taken_until`.execute(db);

/** Whether somebody has it. One that would last for more than a day was given by a clock that was wrong. */
export async function isLeaseTaken(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from turns where name = ${name}
      and taken_until between clock_timestamp() and clock_timestamp() + interval '1 day'`.execute(db);
  return rows.length > 0;
}

/** Until when somebody had it, or has it; null: nobody ever took it. By the clock of the database. */
export async function findLeaseEnd(db: Db, name: string): Promise<Date | null> {
  const row = await db.selectFrom('turns').select('taken_until').where('name', '=', name).executeTakeFirst();
  return row?.taken_until ?? null;
}

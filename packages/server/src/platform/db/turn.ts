import { sql } from 'kysely';
import type { Db } from './connect.ts';

/**
 * Work that one replica does for all: true for whoever finds the turn free, and it is theirs for so many seconds. By the clock of the
 * database, which all of them share. Unlike a lock it outlives its transaction, and a pooler in between.
 */
export async function takeTurn(db: Db, name: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into turns (name, taken_until) values (${name}, clock_timestamp() + ${seconds}::int * interval '1 second')
    on conflict (name) do update set taken_until = excluded.taken_until where turns.taken_until <= clock_timestamp()
    returning name`.execute(db);
  return rows.length > 0;
}

export async function isTurnTaken(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from turns where name = ${name} and taken_until > clock_timestamp()`.execute(db);
  return rows.length > 0;
}

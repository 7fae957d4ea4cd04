import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';
import type { Schema } from './schema.ts';

interface Some {
  readonly table: keyof Schema;
  readonly where: RawBuilder<unknown>;
  /** What an index of the table is sorted by, and `where` bounds: the rows that ended first come first. */
  readonly oldest: RawBuilder<unknown>;
  readonly limit: number;
}

/**
 * So many rows at most, so that a sweep never holds a table for long. Returns how many went. They are found in the order of an index and
 * deleted by their places: so the plan is right whatever the planner knew of the table when it made it. The condition stands in
 * it twice: a row that somebody brings back to life while it is about to be deleted is looked at once more, and stays.
 */
export async function deleteSome(db: Db, { table, where, oldest, limit }: Some): Promise<number> {
  const name = sql.table(table);
  const result = await sql`
    delete from ${name} where ctid = any (array(select ctid from ${name} where ${where} order by ${oldest} limit ${limit}::int))
      and (${where})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

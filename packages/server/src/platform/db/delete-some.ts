import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';
import type { Schema } from './schema.ts';

interface Some {
  readonly table: keyof Schema;
  readonly where: RawBuilder<unknown>;
  /** The sort order of an index that `where` also bounds, so that the rows that ended first come first. */
  readonly oldest: RawBuilder<unknown>;
  readonly limit: number;
}

/**
 * Deletes at most `limit` rows, so that a sweep never blocks a table for long, and returns their number. Rows are found
 * in index order and deleted by ctid, so that the plan is good even with outdated statistics. The condition is repeated
 * because a row may be renewed concurrently before its deletion: it is then re-checked and kept.
 */
export async function deleteSome(db: Db, { table, where, oldest, limit }: Some): Promise<number> {
  const name = sql.table(table);
  const result = await sql`
    delete from ${name} where ctid = any (array(select ctid from ${name} where ${where} order by ${oldest} limit ${limit}::int))
      and (${where})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

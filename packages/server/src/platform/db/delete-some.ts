import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';
import type { Schema } from './schema.ts';

interface Some {
  readonly table: keyof Schema;
  /** Every column of it. */
  readonly key?: string | readonly string[];
  readonly where: RawBuilder<unknown>;
  readonly limit: number;
}

/**
 * So many rows at most, so that a sweep never holds a table for long. Returns how many went. The condition stands in it
 * twice: a row that somebody brings back to life while it is about to be deleted is looked at once more, and stays.
 */
export async function deleteSome(db: Db, { table, key = 'id', where, limit }: Some): Promise<number> {
  const name = sql.table(table);
  const columns = sql.join([key].flat().map((column) => sql.ref(column)));
  const result = await sql`
    delete from ${name} where (${columns}) in (select ${columns} from ${name} where ${where} limit ${limit})
      and (${where})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

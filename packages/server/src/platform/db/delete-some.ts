import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';
import type { Schema } from './schema.ts';

interface Some {
  readonly table: keyof Schema;
  readonly key?: string;
  readonly where: RawBuilder<unknown>;
  readonly limit: number;
}

/** So many rows at most, so that a sweep never holds a table for long. Returns how many went. */
export async function deleteSome(db: Db, { table, key = 'id', where, limit }: Some): Promise<number> {
  const name = sql.table(table);
  const column = sql.ref(key);
  const result = await sql`
    delete from ${name} where ${column} in (select ${column} from ${name} where ${where} limit ${limit})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

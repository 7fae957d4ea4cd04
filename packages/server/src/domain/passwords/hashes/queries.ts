import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { mergeCounts } from '../../../platform/db/merge-counts.ts';

/** Returns the heads (the text before the salt) of imported hashes, the most frequent first. */
export async function listPasswordKinds(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ head: string }>`
    select head from password_counts where head <> '' group by head having sum(delta) > 0
    order by sum(delta) desc, head limit ${limit}::int`.execute(db);
  return rows.map(({ head }) => head);
}

export const mergePasswordCounts = (db: Db, _now: Date, limit: number): Promise<number> =>
  mergeCounts(db, { table: 'password_counts', key: 'head', limit });

export const listHashKeys = (db: Db) =>
  db.selectFrom('foreign_hash_keys').select(['id', 'sealed_key']).orderBy('id').execute();

export const insertHashKey = (tx: Tx, row: { id: string; sealed_key: string; created_at: Date }) =>
  tx.insertInto('foreign_hash_keys').values(row).execute();

import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { mergeCounts } from '../../../platform/db/merge-counts.ts';

export interface HashCount {
  /** What stands before the salt, and decides what the hash costs. Empty: made with our own settings. */
  readonly head: string;
  readonly count: number;
}

/** So many kinds at most, the most frequent ones; all accounts together. */
export async function countPasswords(db: Db, limit: number): Promise<{ kinds: HashCount[]; total: number }> {
  const { rows } = await sql<HashCount & { total: number }>`
    select head, sum(delta)::bigint as count, (sum(sum(delta)) over ())::bigint as total from password_counts
    group by head having sum(delta) > 0 order by count desc, head limit ${limit}::int`.execute(db);
  return { kinds: rows, total: rows[0]?.total ?? 0 };
}

export const mergePasswordCounts = (db: Db, _now: Date, limit: number): Promise<number> =>
  mergeCounts(db, { table: 'password_counts', key: 'head', limit });

export const listHashKeys = (db: Db) =>
  db.selectFrom('foreign_hash_keys').select(['id', 'sealed_key']).orderBy('id').execute();

export const insertHashKey = (tx: Tx, row: { id: string; sealed_key: string; created_at: Date }) =>
  tx.insertInto('foreign_hash_keys').values(row).execute();

/** Unless somebody else has sealed it anew meanwhile. */
export const updateSealedHashKey = (tx: Tx, { id, from, to }: { id: string; from: string; to: string }) =>
  tx
    .updateTable('foreign_hash_keys')
    .set({ sealed_key: to })
    .where('id', '=', id)
    .where('sealed_key', '=', from)
    .execute();

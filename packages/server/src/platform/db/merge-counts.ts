import { sql } from 'kysely';
import type { Db } from './connect.ts';

interface Counts {
  readonly table: 'user_counts' | 'password_counts';
  /** The column by which rows are grouped. */
  readonly key: string;
  readonly limit: number;
}

/**
 * Merges rows of a count that is the sum of `delta`. Every change inserts its own row, so that writers never wait for
 * each other. Concurrent readers see the rows either before or after the merge. Returns the number of merged rows. They
 * are taken in the order of their key, so that a full batch always reduces the number of rows.
 */
export async function mergeCounts(db: Db, { table, key, limit }: Counts): Promise<number> {
  const [name, kind] = [sql.table(table), sql.ref(key)];
  const { rows } = await sql<{ count: number }>`
    with deleted_rows as (
      delete from ${name} where ctid = any (array(
        select row_id from (select ctid as row_id, ${kind}, count(*) over (partition by ${kind}) as same_key from ${name}) as r
        where same_key > 1 order by ${kind} limit ${limit}::int
      ))
      returning ${kind}, delta
    ), inserted_sums as (
      insert into ${name} select ${kind}, sum(delta) from deleted_rows group by ${kind} having sum(delta) <> 0
    )
    select count(*) as count from deleted_rows`.execute(db);
  return rows[0]!.count;
}

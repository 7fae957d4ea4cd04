import { sql } from 'kysely';
import type { Db } from './connect.ts';

interface Counts {
  readonly table: 'user_counts' | 'password_counts';
  /** What is counted apart. */
  readonly key: string;
  readonly limit: number;
}

/**
 * For a number that is the sum of `delta`: every change adds a row of its own, so that nobody waits for anybody. Puts rows of
 * a kind together; who counts meanwhile sees all of it before, or all of it after. Returns how many rows were put together: those of
 * a kind stand beside each other, so that a full batch has always made fewer of them.
 */
export async function mergeCounts(db: Db, { table, key, limit }: Counts): Promise<number> {
  const [name, kind] = [sql.table(table), sql.ref(key)];
  const { rows } = await sql<{ count: number }>`
    with taken as (
      delete from ${name} where ctid = any (array(
        select place from (select ctid as place, ${kind}, count(*) over (partition by ${kind}) as alike from ${name}) as r
        where alike > 1 order by ${kind} limit ${limit}::int
      ))
      returning ${kind}, delta
    ), merged as (
      insert into ${name} select ${kind}, sum(delta) from taken group by ${kind} having sum(delta) <> 0
    )
    select count(*) as count from taken`.execute(db);
  return rows[0]!.count;
}

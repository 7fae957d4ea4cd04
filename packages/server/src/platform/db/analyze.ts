import { sql } from 'kysely';
import type { Db } from './connect.ts';
import type { Schema } from './schema.ts';

/**
 * Updates the planner's statistics of non-empty tables; without them plans can be slow. Empty tables are left out: the
 * planner expects one that was never analyzed to grow, but takes one analyzed as empty to be cheap to scan.
 */
export async function analyzeFilled(db: Db, only?: readonly (keyof Schema)[]): Promise<void> {
  for (const { name } of await listFilled(db)) {
    if (only && !(only as readonly string[]).includes(name)) continue;
    await db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local lock_timeout = 0`.execute(tx);
      await sql`analyze ${sql.table(name)}`.execute(tx);
    });
  }
}

/** Partitions are listed as their root table. */
async function listFilled(db: Db): Promise<{ name: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct whole.relname as name
    from pg_class part join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where part.relkind = 'r' and part.relnamespace = quote_ident(current_schema())::regnamespace and pg_relation_size(part.oid) > 0
    order by 1`.execute(db);
  return rows;
}

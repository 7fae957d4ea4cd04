import { sql } from 'kysely';
import type { Db } from '../connect.ts';

export interface TableSize {
  /** The number of rows, as estimated by the planner. */
  readonly rows: number;
  /** The size including indexes and all partitions. */
  readonly bytes: number;
}

export async function tableSizes(db: Db): Promise<Map<string, TableSize>> {
  const { rows } = await sql<TableSize & { name: string }>`
    select whole.relname as name, sum(pg_total_relation_size(part.oid))::bigint as bytes,
      sum(greatest(part.reltuples, pg_stat_get_live_tuples(part.oid), 0))::bigint as rows
    from pg_class part join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where part.relkind = 'r' and part.relnamespace = quote_ident(current_schema())::regnamespace
    group by whole.relname`.execute(db);
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

export interface LockHolder {
  readonly table: string;
  readonly program: string;
  readonly pid: number;
  readonly seconds: number;
}

/** In seconds: longer than any transaction of a request. */
const LONG_SECONDS = 10;

/** Sessions with a lock on these tables in a transaction older than `seconds`: a migration would wait for them. */
export async function listLongLockHolders(
  db: Db,
  tables: readonly string[],
  seconds = LONG_SECONDS,
): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    select whole.relname as table, coalesce(nullif(application_name, ''), 'unknown program') as program, pid,
      floor(extract(epoch from clock_timestamp() - min(xact_start)))::int as seconds
    from pg_locks join pg_stat_activity using (pid) join pg_class part on part.oid = relation
      join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where locktype = 'relation' and pg_locks.database = (select oid from pg_database where datname = current_database())
      and part.relnamespace = quote_ident(current_schema())::regnamespace and whole.relname = any(${tables})
      and granted and xact_start < clock_timestamp() - ${seconds}::int * interval '1 second'
    group by whole.relname, application_name, pid order by seconds desc`.execute(db);
  return rows;
}

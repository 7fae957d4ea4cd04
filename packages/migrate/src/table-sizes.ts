import { type Queries, select } from './connection.ts';

export interface TableSize {
  /** The number of rows, as estimated by the planner. */
  readonly rows: number;
  /** The size including indexes and all partitions. */
  readonly bytes: number;
}

export async function tableSizes(queries: Queries): Promise<Map<string, TableSize>> {
  const rows = await select<TableSize & { name: string }>(
    queries,
    `select whole.relname as name, sum(pg_total_relation_size(part.oid))::float8 as bytes,
      sum(greatest(part.reltuples, pg_stat_get_live_tuples(part.oid), 0))::float8 as rows
    from pg_class part join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where part.relkind = 'r' and part.relnamespace = quote_ident(current_schema())::regnamespace
    group by whole.relname`,
  );
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

export interface LockHolder {
  readonly table: string;
  readonly program: string;
  readonly pid: number;
  readonly seconds: number;
}

/** In seconds: longer than the transactions of requests. */
const LONG_SECONDS = 10;

/** Sessions with a lock on these tables in a transaction older than `seconds`: a migration would wait for them. */
export async function listLongLockHolders(
  queries: Queries,
  tables: readonly string[],
  seconds = LONG_SECONDS,
): Promise<LockHolder[]> {
  return select<LockHolder>(
    queries,
    `select whole.relname as table, coalesce(nullif(application_name, ''), 'unknown program') as program, pid,
      floor(extract(epoch from clock_timestamp() - min(xact_start)))::int as seconds
    from pg_locks join pg_stat_activity using (pid) join pg_class part on part.oid = relation
      join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where locktype = 'relation' and pg_locks.database = (select oid from pg_database where datname = current_database())
      and part.relnamespace = quote_ident(current_schema())::regnamespace and whole.relname = any($1)
      and granted and xact_start < clock_timestamp() - $2::int * interval '1 second'
    group by whole.relname, application_name, pid order by seconds desc`,
    [tables, seconds],
  );
}

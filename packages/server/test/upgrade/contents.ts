import { sql } from 'kysely';
import type { Db } from '../../src/platform/db/connect.ts';

/** Returns the columns of each table. Partitions are not listed. */
export async function columnsOf(db: Db): Promise<Record<string, string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relkind in ('r', 'p') and not relispartition and relnamespace = quote_ident(current_schema())::regnamespace
    group by relname order by relname`.execute(db);
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
}

export type Contents = Record<string, string[]>;

export async function contentsOf(db: Db, tables: Record<string, string[]>): Promise<Contents> {
  const found: [string, string[]][] = [];
  for (const [name, columns] of Object.entries(tables)) {
    const { rows } = await sql<{ line: string }>`select to_jsonb(t)::text as line
      from (select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)}) as t order by 1`.execute(
      db,
    );
    found.push([name, rows.map(({ line }) => line)]);
  }
  return Object.fromEntries(found);
}

/** Returns all definitions of the schema as PostgreSQL prints them. Equal results mean equal schemas. */
export async function schemaOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with service_tables as (
      select oid, relname, reloptions from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace = quote_ident(current_schema())::regnamespace
    )
    select format('%s %s', relname, reloptions) as line from service_tables
    union all
    select format('%s.%s %s %s %s %s', relname, attname, format_type(atttypid, atttypmod),
      case when attnotnull then 'not null' end, attidentity, pg_get_expr(adbin, adrelid))
    from service_tables join pg_attribute on attrelid = service_tables.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = service_tables.oid and adnum = attnum
    union all select pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' invalid' end from pg_index join service_tables on indrelid = service_tables.oid
    union all
    select format('%s %s', conrelid::regclass, pg_get_constraintdef(pg_constraint.oid)) from pg_constraint join service_tables on conrelid = service_tables.oid
    where contype <> 'n'
    union all select pg_get_triggerdef(pg_trigger.oid) from pg_trigger join service_tables on tgrelid = service_tables.oid where not tgisinternal
    union all
    select pg_get_functiondef(pg_proc.oid) from pg_proc join pg_language on pg_language.oid = prolang
    where pronamespace = quote_ident(current_schema())::regnamespace and lanname in ('sql', 'plpgsql')
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    order by 1`.execute(db);
  return rows.map(({ line }) => line);
}

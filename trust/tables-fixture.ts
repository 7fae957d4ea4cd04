import { sql } from 'kysely';
import type { TestDatabase } from '../packages/server/test/database.ts';

/** Tables that change at any time: sums computed in the background, leases, counters, deliveries. */
const BACKGROUND_TABLES: ReadonlySet<string> = new Set([
  'audit_hours',
  'audit_mark',
  'event_stream',
  'password_counts',
  'rate_counters',
  'replicas',
  'turns',
  'user_counts',
  'webhook_deliveries',
  'webhook_spans',
]);

/** Returns the tables that only requests change. */
export const listQuietTables = async (database: Pick<TestDatabase, 'db'>): Promise<string[]> =>
  (await listTables(database)).filter((name) => !BACKGROUND_TABLES.has(name));

/** Lists all tables. Partitions belong to their table. */
export async function listTables({ db }: Pick<TestDatabase, 'db'>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns all rows of a table as text, with bytes in hexadecimal. */
export async function dumpTable({ db }: Pick<TestDatabase, 'db'>, table: string): Promise<string> {
  const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.table(table)} t`.execute(db);
  return rows.map(({ line }) => line).join('\n');
}

import { sql } from 'kysely';
import type { TestDatabase } from '../packages/server/test/database.ts';

/** Sums that are brought up to date in the background, whose turn it is, and how often somebody has asked: all of it at any time. */
const RESTLESS: ReadonlySet<string> = new Set([
  'audit_hours',
  'audit_mark',
  'password_counts',
  'rate_counters',
  'turns',
  'user_counts',
]);

/** Those in which only what was asked for changes anything. */
export const listQuietTables = async (database: Pick<TestDatabase, 'db'>): Promise<string[]> =>
  (await listTables(database)).filter((name) => !RESTLESS.has(name));

/** Every table there is, by asking the database itself. One that is kept in parts by the month counts as one. */
export async function listTables({ db }: Pick<TestDatabase, 'db'>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** All rows of a table as text, bytes as hexadecimal digits. */
export async function dumpTable({ db }: Pick<TestDatabase, 'db'>, table: string): Promise<string> {
  const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.table(table)} t`.execute(db);
  return rows.map(({ line }) => line).join('\n');
}

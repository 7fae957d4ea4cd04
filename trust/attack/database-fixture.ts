import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestDatabase } from '../../packages/server/test/database.ts';

/** Every table there is, by asking the database itself. */
export async function listTables({ db }: TestDatabase): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema() order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** What servers write by themselves, or by any request: limits, news for each other, sums. */
const RESTLESS: ReadonlySet<string> = new Set(['rate_counters', 'bus_events', 'turns', 'audit_mark', 'audit_hours']);

/** Until nothing is left to be sent: a mail is written to once more when it goes out. */
export const untilMailed = ({ db }: TestDatabase): Promise<void> =>
  expect
    .poll(async () => (await db.selectFrom('mails').select('id').where('state', '=', 'queued').execute()).length, {
      timeout: 25_000,
    })
    .toBe(0);

/** One text for all that is stored, but for when sessions were last used. Two that are equal: nothing has changed. */
export async function fingerprint(database: TestDatabase): Promise<Record<string, string>> {
  await untilMailed(database);
  const prints: Record<string, string> = {};
  for (const table of await listTables(database)) {
    if (RESTLESS.has(table)) continue;
    const { rows } = await sql<{ print: string }>`
      select md5(coalesce(string_agg(line, ' ' order by line), '')) as print
      from (select (to_jsonb(t) - 'last_used_at')::text as line from ${sql.table(table)} t) lines`.execute(database.db);
    prints[table] = rows[0]!.print;
  }
  return prints;
}

const NOTHING = createHash('md5').digest('hex');

/** The tables in which something is other than before. One for the rows of another month may have come meanwhile. */
export const changedTables = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys(after).filter((table) => (before[table] ?? NOTHING) !== after[table]);

/** All rows of a table as text, bytes as hexadecimal digits. */
export async function dumpTable({ db }: TestDatabase, table: string): Promise<string> {
  const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.table(table)} t`.execute(db);
  return rows.map(({ line }) => line).join('\n');
}

import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestDatabase } from '../../packages/server/test/database.ts';
import { listQuietTables } from '../tables-fixture.ts';

type Database = Pick<TestDatabase, 'db'>;
type Prints = Record<string, string>;

/** Returns a digest of each table, which shows any change. */
export async function stateOf({ db }: Database, tables: readonly string[], without = ''): Promise<Prints> {
  const parts = tables.map(
    (table) => sql`select ${table}::text as name, count(*) || ' rows ' ||
      md5(coalesce(string_agg(md5(line), '' order by line), '')) as word
      from (select (to_jsonb(t) - ${without}::text)::text as line from ${sql.table(table)} t) lines`,
  );
  const { rows } = await sql<{ name: string; word: string }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, word }) => [name, word]));
}

/** Returns a digest of everything stored, except `last_used_at` of sessions. */
export async function fingerprint(database: Database): Promise<Prints> {
  await untilMailed(database);
  // Bus events are left out, because servers write them at any request.
  const tables = (await listQuietTables(database)).filter((table) => table !== 'bus_events');
  return stateOf(database, tables, 'last_used_at');
}

/** Waits until no mail is queued: sending a mail updates its row. */
export const untilMailed = ({ db }: Database): Promise<void> =>
  expect
    .poll(async () => (await db.selectFrom('mails').select('id').where('state', '=', 'queued').execute()).length)
    .toBe(0);

export const changedTables = (before: Prints, after: Prints): string[] =>
  Object.keys(before).filter((name) => before[name] !== after[name]);

/** Returns undefined if both values are equal as JSON, otherwise a text with both. */
export function differs(seen: object, wanted: object): string | undefined {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return one === other ? undefined : `${one} in place of ${other}`;
}

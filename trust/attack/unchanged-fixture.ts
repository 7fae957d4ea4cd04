import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TestDatabase } from '../../packages/server/test/database.ts';
import { listQuietTables } from '../tables-fixture.ts';

type Database = Pick<TestDatabase, 'db'>;
type Prints = Record<string, string>;

/** Every row of these tables in one word each: whatever a refused request has changed in them shows. */
export async function stateOf({ db }: Database, tables: readonly string[], without = ''): Promise<Prints> {
  const parts = tables.map(
    (table) => sql`select ${table}::text as name, count(*) || ' rows ' ||
      md5(coalesce(string_agg(md5(line), '' order by line), '')) as word
      from (select (to_jsonb(t) - ${without}::text)::text as line from ${sql.table(table)} t) lines`,
  );
  const { rows } = await sql<{ name: string; word: string }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, word }) => [name, word]));
}

/** All that is stored, but for when sessions were last used. Two that are equal: nothing has changed. */
export async function fingerprint(database: Database): Promise<Prints> {
  await untilMailed(database);
  // Servers tell each other news at any request.
  const tables = (await listQuietTables(database)).filter((table) => table !== 'bus_events');
  return stateOf(database, tables, 'last_used_at');
}

/** Until nothing is left to be sent: a mail is written to once more when it goes out. */
export const untilMailed = ({ db }: Database): Promise<void> =>
  expect
    .poll(async () => (await db.selectFrom('mails').select('id').where('state', '=', 'queued').execute()).length)
    .toBe(0);

/** The names of those that are not what they were. */
export const changedTables = (before: Prints, after: Prints): string[] =>
  Object.keys(before).filter((name) => before[name] !== after[name]);

/** Undefined when both say the same; otherwise what was seen, and what should be. */
export function differs(seen: object, wanted: object): string | undefined {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return one === other ? undefined : `${one} in place of ${other}`;
}

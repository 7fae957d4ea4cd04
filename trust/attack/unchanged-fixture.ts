import { sql } from 'kysely';
import type { TestDatabase } from '../../packages/server/test/database.ts';

type Table = Parameters<typeof sql.table>[0];

/** Every row of these tables in one word each: whatever a refused request has changed in them shows. */
export async function stateOf(
  { db }: Pick<TestDatabase, 'db'>,
  tables: readonly Table[],
): Promise<Record<string, string>> {
  const parts = tables.map(
    (table) => sql`select ${table}::text as name, count(*) || ' rows ' ||
      md5(coalesce(string_agg(md5(one::text), '' order by one::text), '')) as word from ${sql.table(table)} as one`,
  );
  const { rows } = await sql<{ name: string; word: string }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, word }) => [name, word]));
}

/** The names of those that are not what they were. */
export const changedTables = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys(before).filter((name) => before[name] !== after[name]);

/** Undefined when both say the same; otherwise what was seen, and what should be. */
export function differs(seen: object, wanted: object): string | undefined {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return one === other ? undefined : `${one} in place of ${other}`;
}

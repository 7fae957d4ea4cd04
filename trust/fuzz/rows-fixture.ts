import { sql } from 'kysely';
import type { TestDatabase } from '../../packages/server/test/database.ts';
import { listQuietTables } from '../tables-fixture.ts';

/** Tables whose rows change in the background: the last use of a session, the state of a mail. */
const CHANGED_IN_BACKGROUND = ['sessions', 'mails'];

/** Returns the number of rows of each table and the last transaction that wrote one; a difference shows a write. */
async function countEverything({ db }: TestDatabase, tables: readonly string[]): Promise<Map<string, string>> {
  const counts = tables.map((name) => {
    const written = CHANGED_IN_BACKGROUND.includes(name) ? sql`''` : sql`'@' || coalesce(max(xmin::text::bigint), 0)`;
    return sql`select ${sql.lit(name)} as name, count(*) || ${written} as state from ${sql.table(name)}`;
  });
  const { rows } = await sql<{ name: string; state: string }>`${sql.join(counts, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ name, state }) => [name, state]));
}

export async function changeDuring(database: TestDatabase, work: () => Promise<unknown>): Promise<string | undefined> {
  const tables = await listQuietTables(database);
  const before = await countEverything(database, tables);
  await work();
  const after = await countEverything(database, tables);
  const changed = tables.filter((name) => after.get(name) !== before.get(name));
  if (changed.length === 0) return undefined;
  return `rows were written: ${changed.map((name) => `${name} ${before.get(name)} → ${after.get(name)}`).join(', ')}`;
}

import { sql } from 'kysely';
import type { TestDatabase } from '../../packages/server/test/database.ts';
import { listQuietTables } from '../tables-fixture.ts';

/** Their rows change without anybody asking: when somebody was last seen, whether a mail is out. */
const ALIVE = ['sessions', 'mails'];

/** Of every table how many rows it has, and which transaction has last written one: what is half-written shows. */
async function countEverything({ db }: TestDatabase, tables: readonly string[]): Promise<Map<string, string>> {
  const counts = tables.map((name) => {
    const written = ALIVE.includes(name) ? sql`''` : sql`'@' || coalesce(max(xmin::text::bigint), 0)`;
    return sql`select ${sql.lit(name)} as name, count(*) || ${written} as state from ${sql.table(name)}`;
  });
  const { rows } = await sql<{ name: string; state: string }>`${sql.join(counts, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ name, state }) => [name, state]));
}

/** Does it, and tells which tables are not what they were; undefined: all are. */
export async function changeDuring(database: TestDatabase, work: () => Promise<unknown>): Promise<string | undefined> {
  const tables = await listQuietTables(database);
  const before = await countEverything(database, tables);
  await work();
  const after = await countEverything(database, tables);
  const changed = tables.filter((name) => after.get(name) !== before.get(name));
  if (changed.length === 0) return undefined;
  return `rows were written: ${changed.map((name) => `${name} ${before.get(name)} → ${after.get(name)}`).join(', ')}`;
}

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { MIGRATIONS } from '../../src/platform/db/migrations/list.ts';
import { RELEASES } from '../../src/platform/db/migrations/releases.ts';
import { createBrowser } from '../browser.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { columnsOf, contentsOf, schemaOf } from './contents.ts';
import { changedAfter } from './declared-changes.ts';
import { keptOf, restore, startOn } from './frozen-database.ts';

const [first] = RELEASES;
const kept = keptOf(first!.version);

let source: TestDatabase;
let fresh: string[];
beforeAll(async () => {
  source = await restore(first!.version);
  const empty = await createTestDatabase();
  fresh = await schemaOf(empty.db);
  await empty.close();
});
afterAll(() => source.close());

/** Copies the rows of the first release, as far as this database has their tables and columns. */
async function fillFrom(db: Db): Promise<Record<string, string[]>> {
  const [here, there] = [await columnsOf(db), await columnsOf(source.db)];
  delete here.schema_migrations;
  const shared = Object.fromEntries(
    Object.entries(here).map(([name, columns]) => [name, columns.filter((column) => there[name]?.includes(column))]),
  );
  const contents = await contentsOf(source.db, shared);
  await db.transaction().execute(async (tx) => {
    // Triggers are off: the copy already contains the referenced rows and the counts. Partitions are created first.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`select ensure_audit_month(m) from unnest(array['2026-10-01Z', '2026-11-01Z']::timestamptz[]) as m`.execute(
      tx,
    );
    for (const [name, lines] of Object.entries(contents)) {
      const columns = sql.join(shared[name]!.map((column) => sql.ref(column)));
      await sql`delete from ${sql.table(name)}`.execute(tx);
      await sql`insert into ${sql.table(name)} (${columns}) overriding system value
        select ${columns} from jsonb_populate_recordset(null::${sql.table(name)}, ${`[${lines.join()}]`}::jsonb)`.execute(
        tx,
      );
    }
  });
  return shared;
}

const countsOf = async (db: Db) => {
  const { rows } = await sql<{ kept: string; there: string }>`
    select (select jsonb_object_agg(status, n)::text from (select status, sum(delta) as n from user_counts group by 1 having sum(delta) <> 0) as u) as kept,
      (select jsonb_object_agg(status, n)::text from (select status, count(*) as n from users group by 1) as u) as there`.execute(
    db,
  );
  return rows[0]!;
};

describe('a database that was stopped at a migration, and filled with the rows of a release', () => {
  // Tries every third migration up to the schema of the first release: no release had an earlier schema.
  const tried = MIGRATIONS.slice(0, first!.schema).filter(({ version }) => version % 3 === 1);

  it.each(tried.map(({ version, name }) => [version, name]))(
    'a database at migration %i %s that has rows migrates to the latest version and keeps its rows',
    async (version) => {
      const database = await createTestDatabase({ empty: true });
      await migrate(database.address, new Date(), undefined, MIGRATIONS.slice(0, version));
      const tables = await fillFrom(database.db);
      const before = await contentsOf(database.db, tables);
      expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);

      const applied = await migrate(database.address, new Date());
      expect(applied.map((migration) => migration.version)).toEqual(
        MIGRATIONS.slice(version).map((later) => later.version),
      );
      const after = await contentsOf(database.db, tables);
      for (const table of changedAfter(version)) for (const contents of [before, after]) delete contents[table];
      expect(after).toEqual(before);
      expect(await schemaOf(database.db)).toEqual(fresh);
      const counts = await countsOf(database.db);
      expect(counts.kept).toBe(counts.there);

      if (version > 1) await signIn(database);
      await database.close();
    },
  );

  async function signIn(database: TestDatabase): Promise<void> {
    const app = await startOn(database, kept);
    const { email, password, user_id } = kept.plain;
    const answer = await createBrowser(app).post('/auth/login', { email, password });
    expect(answer.json).toMatchObject({ status: 'success', user: { user_id } });
    await app.close();
  }
});

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import type { Db } from '../../platform/db/connect.ts';
import { countAuditRows } from '../audit/counts/count.ts';
import { OLD_KEY } from '../provider-settings/rows-fixture.ts';
import type { Manifest } from './manifest.ts';
import { emptyDatabases, exportInto, importFrom, importWhole, NEW } from './move-fixture.ts';
import { fillService, newFolder } from './service-fixture.ts';

const place = newFolder();
const databases = emptyDatabases();
const app = useTestApp({ environment: { CONFIG_ENCRYPTION_KEY: OLD_KEY } });
let folder: string;
let manifest: Manifest;
let greatest: number;
beforeAll(async () => {
  await fillService(app);
  ({ folder, manifest } = await exportInto(place.folder, app.deps.db));
  greatest = manifest.greatest_audit_id!;
});
afterAll(async () => {
  await databases.close();
  place.remove();
});

/** Inserts audit rows that a service writes about its own start, before its first partition exists. */
const auditStart = (db: Db, count: number) =>
  sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id, metadata,
      outcome)
    select gen_random_uuid(), timestamptz '2032-01-01' + n * interval '1 second', '00000000-0000-0000-0000-000000000000',
      'system', 'signing_key.created', 'signing_key', n::text, '{}', 'success'
    from generate_series(1, ${count}::int) as n`.execute(db);

const trailOf = async (db: Db, where = sql`true`) =>
  (
    await sql<{ id: number; row: object }>`select id, to_jsonb(audit_events) - 'id' - 'xid' as row from audit_events
      where ${where} order by id`.execute(db)
  ).rows;

const rowsOf = async (db: Db, where = sql`true`) => (await trailOf(db, where)).map(({ row }) => row);

const kept = async (db: Db): Promise<number> =>
  (
    await sql<{ kept: number }>`select coalesce(sum(count), 0)::int as kept from audit_hours where action = ''`.execute(
      db,
    )
  ).rows[0]!.kept;

/** Waits until so many rows are counted. A row is counted once every earlier transaction of the cluster has ended. */
const untilCounted = (db: Db, count: number) =>
  expect
    .poll(async () => {
      await countAuditRows(db);
      return kept(db);
    })
    .toBe(count);

describe('a service that was started but never used', () => {
  it('an unused service counts as empty: its audit rows are kept, in their order, after those of the export', async () => {
    const { db } = await databases.create();
    await auditStart(db, 3);
    const own = await rowsOf(db);
    expect(await importWhole(folder, db)).toEqual({ state: 'loaded', own_events: 3 });
    expect(await trailOf(db, sql`id > ${greatest}`)).toEqual(own.map((row, n) => ({ id: greatest + 1 + n, row })));
    expect(await trailOf(db, sql`id <= ${greatest}`)).toEqual(await trailOf(app.deps.db, sql`id <= ${greatest}`));
  });

  it('each audit row is counted once after an import into an unused service', async () => {
    const { db } = await databases.create();
    await auditStart(db, 3);
    await untilCounted(db, 3);
    await importFrom(folder, db);
    await untilCounted(db, manifest.files.find(({ table }) => table === 'audit_events')!.rows + 3);
    const { rows } = await sql`select from audit_events`.execute(db);
    expect(await kept(db)).toBe(rows.length);
  });

  it('the audit trail of an unused service is append-only again after the import, in every month', async () => {
    const { db } = await databases.create();
    await auditStart(db, 2);
    await importFrom(folder, db);
    const { rows } = await sql<{
      state: string;
      count: number;
    }>`select tgenabled as state, count(*) as count from pg_trigger
      where tgname = 'audit_events_append_only' group by 1`.execute(db);
    const partitions = await sql`select from pg_inherits where inhparent = 'audit_events'::regclass`.execute(db);
    expect(rows).toEqual([{ state: 'O', count: partitions.rows.length + 1 }]);
    for (const { id } of [(await trailOf(db))[0]!, (await trailOf(db)).at(-1)!]) {
      await expect(sql`delete from audit_events where id = ${id}`.execute(db)).rejects.toThrow('append-only');
    }
    // The rows about the start do not prevent a partition of their month.
    const rest = await sql`select from audit_events_rest`.execute(db);
    expect(rest.rows).toEqual([]);
  });

  it('no audit id is reused after an import into an unused service, even if its ids are above those of the export', async () => {
    const { db } = await databases.create();
    const far = greatest + 1000;
    await sql`select setval(pg_get_serial_sequence('audit_events', 'id'), ${far})`.execute(db);
    await auditStart(db, 2);
    expect(await importWhole(folder, db)).toEqual({ state: 'loaded', own_events: 2 });
    await auditStart(db, 1);
    expect((await trailOf(db)).slice(-3).map(({ id }) => id)).toEqual([far + 3, far + 4, far + 5]);
  });

  it('an unused service is distinguished from one that has loaded an export, even an export without users', async () => {
    const [first, second] = [await databases.create(), await databases.create()];
    await auditStart(first.db, 2);
    const withoutUsers = await exportInto(place.folder, first.db, { keyrings: NEW });
    expect(await importWhole(withoutUsers.folder, second.db)).toEqual({ state: 'loaded', own_events: 0 });
    await expect(importFrom(folder, second.db)).rejects.toThrow('has rows in audit_events');
  });

  it('an unused service keeps its signing keys after the import', async () => {
    const { db } = await databases.create();
    const keys = () => db.selectFrom('signing_keys').selectAll().execute();
    const before = await keys();
    expect(before).toHaveLength(1);
    await importFrom(folder, db);
    expect(await keys()).toEqual(before);
  });
});

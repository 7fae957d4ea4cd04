import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { untilBlocked } from '../../../test/records.ts';
import type { DatabaseAddress, Db } from './connect.ts';
import { migrate, migrationStatus } from './migrate.ts';
import type { Migration } from './migrating/migration.ts';
import { MIGRATIONS } from './migrations/list.ts';

const NOW = new Date('2030-01-15T12:00:00Z');
const INDEX: Migration = {
  version: 1000,
  name: 'quicker',
  indexes: [{ name: 'quicker_idx', on: 'milestones (reached_at)' }],
};
const UNIQUE: Migration = {
  version: 1000,
  name: 'unique',
  indexes: [{ name: 'quicker_idx', on: 'milestones (reached_at)', unique: true }],
};
const COLUMN: Migration = { version: 1000, name: 'more', sql: 'alter table milestones add column note text' };

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ poolSize: 10 });
});
afterEach(() => database.close());

const run = (migration: Migration, address: DatabaseAddress = database.address) =>
  migrate(address, NOW, undefined, [...MIGRATIONS, migration]);
const versionsOf = (runs: Awaited<ReturnType<typeof run>>[]) => runs.flat().map(({ version }) => version);

const reach = (name: string) => database.db.insertInto('milestones').values({ name, reached_at: NOW }).execute();

/** Whether the index is valid. Undefined if there is no index. */
async function isValid(): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`select indisvalid as valid from pg_index
    where indexrelid = to_regclass('quicker_idx')`.execute(database.db);
  return rows[0]?.valid;
}

async function lockTable(what: 'writes' | 'reads'): Promise<() => Promise<unknown>> {
  const blocker = await database.db.startTransaction().execute();
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(blocker);
  if (what === 'reads') await sql`select from milestones`.execute(blocker);
  else await blocker.insertInto('milestones').values({ name: 'held', reached_at: NOW }).execute();
  return () => blocker.commit().execute();
}

const builders = async (): Promise<{ pid: number; query: string }[]> => {
  const { rows } = await sql<{ pid: number; query: string }>`select pid, query from pg_stat_activity
    where datname = current_database() and query like 'create index%' and state = 'active'`.execute(database.db);
  return rows;
};

describe('an index migration', () => {
  it('an index migration is applied once by concurrent processes', async () => {
    await reach('one');
    const runs = await Promise.all(Array.from({ length: 6 }, () => run(INDEX)));
    expect(versionsOf(runs)).toEqual([1000]);
    expect(await isValid()).toBe(true);
    expect((await migrationStatus(database.db)).unknown).toEqual([1000]);
    expect(await run(INDEX)).toEqual([]);
  });

  it('an index migration allows writes during the build, and a second replica waits without a deadlock', async () => {
    const release = await lockTable('writes');
    const first = run(INDEX);
    await untilBlocked(database, 1);
    const second = run(INDEX);
    await reach('meanwhile');
    // The second process has tried to get the lock and failed.
    await expect.poll(hasTried).toBe(true);
    expect(await isValid()).toBe(false);
    await release();
    expect(versionsOf([await first, await second])).toEqual([1000]);
    expect(await isValid()).toBe(true);

    async function hasTried(): Promise<boolean> {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and application_name = 'gatehouse' and state = 'idle' and query in ('commit', 'COMMIT')`.execute(database.db);
      return rows.length > 0;
    }
  });

  it('an index migration drops and rebuilds an index after an interruption', async () => {
    const release = await lockTable('writes');
    const broken = run(INDEX);
    const failure = expect(broken).rejects.toThrow();
    await untilBlocked(database, 1);
    const [builder] = await builders();
    await sql`select pg_terminate_backend(${builder!.pid})`.execute(database.db);
    await failure;
    await release();
    expect(await isValid()).toBe(false);
    expect((await migrationStatus(database.db, [...MIGRATIONS, INDEX])).pending).toEqual([INDEX]);
    expect(versionsOf([await run(INDEX)])).toEqual([1000]);
    expect(await isValid()).toBe(true);
  });

  it('an index migration fails if rows violate a unique index, and succeeds when they no longer do', async () => {
    await reach('one');
    await reach('two');
    await expect(run(UNIQUE)).rejects.toThrow('quicker_idx');
    expect(await isValid()).toBe(false);
    await database.db.deleteFrom('milestones').where('name', '=', 'two').execute();
    expect(versionsOf([await run(UNIQUE)])).toEqual([1000]);
    expect(await isValid()).toBe(true);
  });

  it.each([
    ['none', 'create index concurrently quicker_idx on milestones (reached_at)'],
    ['transaction', 'create index quicker_idx on milestones (reached_at)'],
  ] as const)('an index migration with pooler %s runs: %s', async (pooler, statement) => {
    const release = await lockTable('writes');
    const running = run(INDEX, { connectionString: database.plain_url, pooler });
    await expect.poll(async () => (await builders())[0]?.query).toBe(statement);
    await release();
    expect(versionsOf([await running])).toEqual([1000]);
    expect(await isValid()).toBe(true);
  });
});

describe('an index migration of a partitioned table', () => {
  const PARTITIONED: Migration = {
    version: 1000,
    name: 'partitioned',
    indexes: [{ name: 'audit_events_quicker_idx', on: 'audit_events (resource_id)' }],
  };
  const insert = (timestamp: string) =>
    sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
        metadata, outcome)
      select gen_random_uuid(), ${timestamp}::timestamptz, gen_random_uuid(), 'user', 'x', 'x', 'x', '{}', 'success'`.execute(
      database.db,
    );
  /** Holds the lock of a transaction that has written to this partition. */
  const occupy = (partition: string, db: Db) =>
    sql`lock table ${sql.table(partition)} in row exclusive mode`.execute(db);
  const indexed = async (): Promise<{ table: string; valid: boolean }[]> => {
    const { rows } = await sql<{ table: string; valid: boolean }>`
      select indrelid::regclass::text as table, indisvalid as valid from pg_index
      where pg_get_indexdef(indexrelid) like '%(resource_id)' order by 1`.execute(database.db);
    return rows;
  };

  it('is built for every partition while rows are written, and new partitions have it', async () => {
    await sql`select ensure_audit_month('2040-01-01Z')`.execute(database.db);
    await insert('2040-01-15Z');
    const blocker = await database.db.startTransaction().execute();
    await occupy('audit_events_204001', blocker);
    const running = run(PARTITIONED);
    await untilBlocked(database, 1);
    await insert('2040-01-16Z');
    await blocker.commit().execute();
    expect(versionsOf([await running])).toEqual([1000]);
    await sql`select ensure_audit_month('2040-02-01Z')`.execute(database.db);
    const tables = await indexed();
    expect(tables.map(({ table }) => table)).toEqual(
      expect.arrayContaining(['audit_events', 'audit_events_204001', 'audit_events_204002', 'audit_events_rest']),
    );
    expect(tables.filter(({ valid }) => !valid)).toEqual([]);
  });

  it('is completed by the next run after an interruption', async () => {
    const blocker = await database.db.startTransaction().execute();
    await occupy('audit_events_rest', blocker);
    const failure = expect(run(PARTITIONED)).rejects.toThrow();
    await untilBlocked(database, 1);
    const [builder] = await builders();
    await sql`select pg_terminate_backend(${builder!.pid})`.execute(database.db);
    await failure;
    await blocker.commit().execute();
    expect((await indexed()).some(({ valid }) => !valid)).toBe(true);
    expect(versionsOf([await run(PARTITIONED)])).toEqual([1000]);
    expect((await indexed()).filter(({ valid }) => !valid)).toEqual([]);
  });

  it('is built inside the migration transaction behind a pooler', async () => {
    const address = { connectionString: database.plain_url, pooler: 'transaction' } as const;
    expect(versionsOf([await run(PARTITIONED, address)])).toEqual([1000]);
    expect((await indexed()).filter(({ valid }) => !valid)).toEqual([]);
  });
});

describe('a locked table', () => {
  it('a migration waits for a locked table without blocking other statements', async () => {
    const release = await lockTable('reads');
    let announced = 0;
    const running = migrate(database.address, NOW, () => announced++, [...MIGRATIONS, COLUMN]);
    await untilBlocked(database, 1);
    // This query waits behind the migration, which waits for the lock: without the migration's retry, it times out.
    await sql`select from milestones`.execute(database.db);
    await reach('meanwhile');
    await release();
    expect(versionsOf([await running])).toEqual([1000]);
    expect(announced).toBe(1);
    expect(await database.db.selectFrom('milestones').select('name').execute()).toHaveLength(1);
  });
});

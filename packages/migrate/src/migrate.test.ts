import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, NOW, type TestDatabase } from './database-fixture.ts';
import { migrate, migrationStatus } from './migrate.ts';
import type { Migration } from './migration.ts';
import { HISTORY } from './schema-fixture.ts';

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
  database = await createDatabase();
});
afterEach(() => database.close());

const run = (migration: Migration, { pooled = false, onApply = (): unknown => undefined } = {}) => {
  const migrations = [...HISTORY.migrations, migration];
  return migrate({ migrations, connect: database.connect, pooled, now: NOW, onApply: () => void onApply() });
};
const versionsOf = (runs: Awaited<ReturnType<typeof run>>[]) => runs.flat().map(({ version }) => version);
const statusOf = async (migrations = HISTORY.migrations) => migrationStatus(await database.connect(), migrations);

const reach = (name: string) => database.run('insert into milestones values ($1, $2)', [name, NOW]);

/** Whether the index is valid. Undefined if there is no index. */
async function isValid(): Promise<unknown> {
  const text = `select indisvalid as valid from pg_index where indexrelid = to_regclass('quicker_idx')`;
  return (await database.run(text))[0]?.valid;
}

async function lockTable(what: 'writes' | 'reads'): Promise<() => Promise<unknown>> {
  const blocker = await database.connect();
  await blocker.query('begin');
  if (what === 'reads') await blocker.query('select from milestones');
  else await blocker.query(`insert into milestones values ('held', now())`);
  return () => blocker.query('commit');
}

const builders = () =>
  database.run(`select pid, query from pg_stat_activity
    where datname = current_database() and query like 'create index%' and state = 'active'`);

async function endBuilder(): Promise<void> {
  const [builder] = await builders();
  await database.run('select pg_terminate_backend($1)', [builder!.pid]);
}

describe('the status of a database', () => {
  it('lists what is applied, pending, and known only to a later version', async () => {
    expect((await statusOf([...HISTORY.migrations, INDEX])).pending).toEqual([INDEX]);
    await run(INDEX);
    const { applied, pending, unknown } = await statusOf();
    expect(applied.map(({ version }) => version)).toEqual([1, 2, 3, 1000]);
    expect(applied[3]).toEqual({ version: 1000, name: 'quicker', applied_at: NOW });
    expect([pending, unknown]).toEqual([[], [1000]]);
  });

  it('is that of an empty database before the first migration', async () => {
    await database.run('drop table schema_migrations');
    expect(await statusOf()).toEqual({ applied: [], pending: HISTORY.migrations, unknown: [] });
  });
});

describe('a migration', () => {
  it('has no effect if a statement fails', async () => {
    const broken = { ...COLUMN, sql: `${COLUMN.sql}; select 1 / 0` };
    await expect(run(broken)).rejects.toThrow('division by zero');
    expect(versionsOf([await run(COLUMN)])).toEqual([1000]);
  });
});

describe('an index migration', () => {
  it('is applied once by concurrent processes', async () => {
    await reach('one');
    const runs = await Promise.all(Array.from({ length: 6 }, () => run(INDEX)));
    expect(versionsOf(runs)).toEqual([1000]);
    expect(await isValid()).toBe(true);
    expect(await run(INDEX)).toEqual([]);
  });

  it('allows writes during the build, and a second replica waits without a deadlock', async () => {
    const release = await lockTable('writes');
    const first = run(INDEX);
    await database.untilBlocked(1);
    const second = run(INDEX);
    await reach('meanwhile');
    // The second process has tried to get the lock and failed.
    const hasTried = `with sessions as (select * from pg_stat_activity where datname = current_database())
      select from sessions where state = 'idle' and query = 'commit'
        and backend_start > (select backend_start from sessions where query like 'create index%')`;
    await expect.poll(async () => (await database.run(hasTried)).length).toBe(1);
    expect(await isValid()).toBe(false);
    await release();
    expect(versionsOf([await first, await second])).toEqual([1000]);
    expect(await isValid()).toBe(true);
  });

  it('drops and rebuilds an index after an interruption', async () => {
    const release = await lockTable('writes');
    const failure = expect(run(INDEX)).rejects.toThrow();
    await database.untilBlocked(1);
    await endBuilder();
    await failure;
    await release();
    expect(await isValid()).toBe(false);
    expect((await statusOf([...HISTORY.migrations, INDEX])).pending).toEqual([INDEX]);
    expect(versionsOf([await run(INDEX)])).toEqual([1000]);
    expect(await isValid()).toBe(true);
  });

  it('fails if rows violate a unique index, and succeeds when they no longer do', async () => {
    await reach('one');
    await reach('two');
    await expect(run(UNIQUE)).rejects.toThrow('quicker_idx');
    expect(await isValid()).toBe(false);
    await database.run(`delete from milestones where name = 'two'`);
    expect(versionsOf([await run(UNIQUE)])).toEqual([1000]);
    expect(await isValid()).toBe(true);
  });

  it.each([
    ['without a pooler', false, 'create index concurrently quicker_idx on milestones (reached_at)'],
    ['behind a pooler', true, 'create index quicker_idx on milestones (reached_at)'],
  ])('%s builds with the right statement', async (_, pooled, statement) => {
    const release = await lockTable('writes');
    const running = run(INDEX, { pooled });
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
    indexes: [{ name: 'events_quicker_idx', on: 'events (resource)' }],
  };
  const addPartition = (name: string, from: string, to: string) =>
    database.run(`create table ${name} partition of events for values from ('${from}') to ('${to}')`);
  const insert = (at: string) => database.run(`insert into events values (gen_random_uuid(), $1, 'success')`, [at]);
  /** Holds the lock of a transaction that has written to this partition. */
  async function occupy(partition: string): Promise<() => Promise<unknown>> {
    const blocker = await database.connect();
    await blocker.query('begin');
    await blocker.query(`lock table ${partition} in row exclusive mode`);
    return () => blocker.query('commit');
  }
  const indexed = () =>
    database.run(`select indrelid::regclass::text as table, indisvalid as valid from pg_index
      where pg_get_indexdef(indexrelid) like '%(resource)' order by 1`);

  it('is built for every partition while rows are written, and new partitions have it', async () => {
    await addPartition('events_204001', '2040-01-01Z', '2040-02-01Z');
    await insert('2040-01-15Z');
    const release = await occupy('events_204001');
    const running = run(PARTITIONED);
    await database.untilBlocked(1);
    await insert('2040-01-16Z');
    await release();
    expect(versionsOf([await running])).toEqual([1000]);
    await addPartition('events_204002', '2040-02-01Z', '2040-03-01Z');
    expect(await indexed()).toEqual(
      ['events', 'events_204001', 'events_204002', 'events_rest'].map((table) => ({ table, valid: true })),
    );
  });

  it('is completed by the next run after an interruption', async () => {
    const release = await occupy('events_rest');
    const failure = expect(run(PARTITIONED)).rejects.toThrow();
    await database.untilBlocked(1);
    await endBuilder();
    await failure;
    await release();
    expect((await indexed()).some(({ valid }) => !valid)).toBe(true);
    expect(versionsOf([await run(PARTITIONED)])).toEqual([1000]);
    expect((await indexed()).filter(({ valid }) => !valid)).toEqual([]);
  });

  it('is built inside the migration transaction behind a pooler', async () => {
    expect(versionsOf([await run(PARTITIONED, { pooled: true })])).toEqual([1000]);
    expect((await indexed()).filter(({ valid }) => !valid)).toEqual([]);
  });
});

describe('a locked table', () => {
  it('a migration waits for a locked table without blocking other statements', async () => {
    const release = await lockTable('reads');
    let announced = 0;
    const running = run(COLUMN, { onApply: () => announced++ });
    await database.untilBlocked(1);
    // This query waits behind the migration, which waits for the lock: without the migration's retry, it times out.
    await database.run('select from milestones');
    await reach('meanwhile');
    await release();
    expect(versionsOf([await running])).toEqual([1000]);
    expect(announced).toBe(1);
    expect(await database.run('select name from milestones')).toHaveLength(1);
  });
});

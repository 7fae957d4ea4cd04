import type { Migration } from '@gatehouse/migrate';
import { forecast, listLongLockHolders, tableSizes } from '@gatehouse/migrate';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { queriesOf } from '../../platform/db/migrate.ts';
import { HISTORY } from '../../platform/db/migrations/history.ts';
import { MIGRATIONS } from '../../platform/db/migrations/list.ts';
import { describeForecasts } from './migrate-check.ts';

const SIZES = new Map([
  ['users', { rows: 1_000_000, bytes: 400e6 }],
  ['sessions', { rows: 5_000_000, bytes: 2.5e9 }],
  ['milestones', { rows: 3, bytes: 16_384 }],
]);

const describeMigrations = (
  migrations: Migration[],
  { pooled = false, holders = [] as Parameters<typeof describeForecasts>[1] } = {},
) =>
  describeForecasts(forecast(migrations, HISTORY, { sizes: SIZES, pooled }), holders, false).map((line) =>
    line.replace(/\x1b\[\d+m/g, ''),
  );
const NEXT_VERSION = 900;
const next = (text: string): Migration => ({ version: NEXT_VERSION, name: 'next', sql: text });

describe('migrate --check', () => {
  it('lists statements and locks, with their meaning, table size and duration', () => {
    const lines = describeMigrations([
      next(`alter table users add column nickname text;
        create table nicknames (user_id uuid references users,
          nickname text);
        alter table milestones add column note text default 'x'`),
    ]);
    expect(lines.slice(0, 8)).toEqual([
      'pending  900 next',
      '  alter table users add column nickname text',
      '  create table nicknames (…)',
      "  alter table milestones add column note text default 'x'",
      '    users       ACCESS EXCLUSIVE  reads and writes wait  1,000,000 rows  400 MB  for a moment',
      '    milestones  ACCESS EXCLUSIVE  reads and writes wait          3 rows   16 kB  for a moment',
      '  The previous version can run on it.',
      '',
    ]);
    expect(lines.join('\n')).not.toContain('MB per second');
  });

  it('the duration of a lock includes later statements, because a lock is held to the end of its migration', () => {
    const lines = describeMigrations([
      next(`alter table users add column nickname text;
        update users set nickname = email;
        alter table sessions add column label text`),
    ]);
    expect(lines).toContain(
      '    sessions  ACCESS EXCLUSIVE  reads and writes wait  5,000,000 rows  2.5 GB  for a moment',
    );
    expect(lines).toContain(
      '    users     ACCESS EXCLUSIVE  reads and writes wait  1,000,000 rows  400 MB  for about 10 s to 7 min',
    );
    expect(lines.join('\n')).toContain('10 to 200 MB per second');
  });

  const index: Migration = { version: NEXT_VERSION, name: 'next', indexes: [{ name: 'i', on: 'sessions (label)' }] };

  it('shows an index build as concurrent, or as blocking if a pooler is used', () => {
    expect(describeMigrations([index])).toContain('  create index concurrently i on sessions (label)');
    expect(describeMigrations([index])).toContain(
      '    sessions  SHARE UPDATE EXCLUSIVE  reads and writes continue  5,000,000 rows  2.5 GB  for about 13 s to 4 min',
    );
    const lines = describeMigrations([index], { pooled: true });
    expect(lines).toContain('  create index i on sessions (label)');
    expect(lines).toContain('    sessions  SHARE  writes wait  5,000,000 rows  2.5 GB  for about 13 s to 4 min');
  });

  it('reports incompatible migrations, what they remove, and unreadable statements', () => {
    const drop = 'alter table users drop column email';
    expect(describeMigrations([next(drop)]).join()).toContain('Stop every replica of the previous version first');
    const contracts = { since: '0.1.0', what: 'users.email, which nobody reads' };
    expect(describeMigrations([{ ...next(drop), contracts }]).join()).toContain(
      'if it is 0.1.0 or later. Removes: users.email, which nobody reads',
    );
    expect(describeMigrations([next('do $$ begin end $$')])).toContain('  ? Its locks and their duration are unknown.');
  });

  it('shortens long statements and omits function bodies', () => {
    const lines = describeMigrations([
      next(
        `insert into milestones values ('${'x'.repeat(200)}', now()); create function f() returns int language sql as $$ select 1 $$`,
      ),
    ]);
    expect(Math.max(...lines.slice(0, 5).map(({ length }) => length))).toBeLessThan(115);
    expect(lines).toContain('  create function f …');
  });

  it('names long transactions that use an affected table', () => {
    const holders = [{ table: 'users', program: 'pg_dump', pid: 4711, seconds: 75 }];
    expect(describeMigrations([next('alter table users add column a text')], { holders })).toContain(
      '! pg_dump (process 4711) has locked users in a transaction for 75 s: the migration must wait for it.',
    );
  });

  it('prints a short report if no migration is pending, and for an empty database', () => {
    expect(describeForecasts([], [], false)).toEqual(['The schema is up to date.']);
    const lines = describeForecasts(forecast(MIGRATIONS, HISTORY, { sizes: new Map(), pooled: false }), [], true);
    expect(lines).toHaveLength(MIGRATIONS.length + 1);
    expect(lines.at(-1)).toContain('no client is affected');
  });
});

describe('table sizes and transactions that use a table', () => {
  it('the size of a table includes each of its partitions once', async () => {
    const database = await createTestDatabase();
    await sql`select ensure_audit_month('2026-10-01Z')`.execute(database.db);
    await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id, metadata, outcome)
      select gen_random_uuid(), '2026-10-02Z', gen_random_uuid(), 'user', 'a', 'r', 'x', '{}', 'success' from generate_series(1, 500)`.execute(
      database.db,
    );
    await sql`analyze audit_events`.execute(database.db);
    const sizes = await tableSizes(queriesOf(database.db));
    expect(sizes.get('audit_events')).toMatchObject({ rows: 500 });
    expect(sizes.get('audit_events')!.bytes).toBeGreaterThan(100_000);
    expect([...sizes.keys()].filter((name) => name.startsWith('audit_events'))).toEqual(['audit_events']);
    await database.close();
  });

  it('lists transactions that use a table, with their duration', async () => {
    const database = await createTestDatabase();
    const blocker = await database.db.startTransaction().execute();
    await sql`select from milestones, audit_events`.execute(blocker);
    const tables = ['milestones', 'audit_events', 'users'];
    expect(await listLongLockHolders(queriesOf(database.db), tables)).toEqual([]);
    const holders = await listLongLockHolders(queriesOf(database.db), tables, 0);
    expect(holders.map(({ table, program }) => [table, program]).sort()).toEqual([
      ['audit_events', 'gatehouse'],
      ['milestones', 'gatehouse'],
    ]);
    await blocker.rollback().execute();
    await database.close();
  });
});

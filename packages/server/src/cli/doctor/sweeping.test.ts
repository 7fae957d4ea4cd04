import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { forceLease } from '../../platform/db/lease.ts';
import { assessTransaction, examineCounts, examineSweeper, examineTransactions } from './sweeping.ts';

const database = useTestDatabase();
beforeEach(async () => {
  await database.db.deleteFrom('turns').execute();
  await database.db.deleteFrom('rate_counters').execute();
});

const examine = (isServed = true) => examineSweeper(database.db, isServed);
/** Counters whose window ended this many seconds ago. */
const insertCounters = (count: number, ago: number) =>
  sql`insert into rate_counters (key, count, resets_at)
    select int4send(n), 1, now() - ${ago}::int * interval '1 second' from generate_series(1, ${count}::int) as n`.execute(
    database.db,
  );

describe('doctor: the sweeper', () => {
  it('skips the check while no service runs', async () => {
    expect(await examine(false)).toMatchObject({ check: 'sweeper', status: 'skipped' });
  });

  it('is ok if the sweeper has run recently', async () => {
    expect(await examine()).toMatchObject({ status: 'ok', detail: expect.stringContaining('has just started') });
    await forceLease(database.db, 'sweep', 29);
    await insertCounters(9_999, 7200);
    expect(await examine()).toMatchObject({ status: 'ok', detail: 'runs' });
  });

  it('warns if the sweeper has stopped', async () => {
    await forceLease(database.db, 'sweep', -272);
    expect(await examine()).toMatchObject({ status: 'warning', detail: 'has not run for 5 minutes' });
    await forceLease(database.db, 'sweep', -200);
    expect((await examine()).status).toBe('ok');
  });

  it('warns if the sweeper falls behind', async () => {
    await insertCounters(10_000, 3_000);
    expect((await examine()).status).toBe('ok');
    await sql`update rate_counters set resets_at = resets_at - interval '1 hour'`.execute(database.db);
    expect(await examine()).toMatchObject({ status: 'warning', detail: expect.stringContaining('rate_counters') });
  });
});

describe('doctor: counts of the audit trail', () => {
  it('is ok if the stored audit counts are up to date, and warns if they are far behind', async () => {
    expect(await examineCounts(database.db)).toMatchObject({ check: 'audit counts', status: 'ok' });
    await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
      metadata, outcome)
      select gen_random_uuid(), now(), '00000000-0000-0000-0000-000000000000', 'system', 'x', 'x', 'x', '{}', 'success'
      from generate_series(1, 100000)`.execute(database.db);
    expect(await examineCounts(database.db)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('100000'),
    });
  });
});

describe('doctor: long transactions', () => {
  it('is ok if no transaction has been open for long', async () => {
    expect(await examineTransactions(database.db)).toMatchObject({ check: 'transactions', status: 'ok' });
  });

  it('warns about a transaction that is open for an hour', () => {
    const now = new Date('2030-01-01T12:00:00Z');
    const openSince = (time: string) => assessTransaction({ pid: 77, since: new Date(time) }, now);
    expect(openSince('2030-01-01T11:00:01Z').status).toBe('ok');
    expect(openSince('2030-01-01T09:00:00Z')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('3 hours (pid 77)'),
      fix: expect.stringContaining('pg_terminate_backend(77)'),
    });
  });
});

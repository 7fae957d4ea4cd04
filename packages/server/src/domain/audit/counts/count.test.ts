import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import { untilBlocked } from '../../../../test/records.ts';
import { TIMEOUT_MS } from '../../../../test/timeouts.ts';
import { countAuditRows, dropForeignCounts } from './count.ts';
import { findMark, findReach, liveRows } from './queries.ts';
import { compareCounts, countAll, countOnce, insertEvents, markOf } from './trail-fixture.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

const MINUTE = 60_000;
const some = (count: number, more = {}) =>
  Array.from({ length: count }, (_, index) => ({
    timestamp: new Date(Date.parse('2026-03-31T21:30:00Z') + index * 7 * MINUTE),
    action: index % 3 === 0 ? 'auth.logout' : 'auth.login',
    ...more,
  }));

async function total(): Promise<number> {
  const { rows } = await sql<{ total: number }>`with ${liveRows(sql`true`)}
    select ((select coalesce(sum(count), 0) from audit_hours where action = '') + (select count(*) from live))::bigint
      as total`.execute(database.db);
  return rows[0]!.total;
}

/** Compares the stored counts with the rows. Any running transaction of the cluster can delay them for a moment. */
async function expectExact(rows: number): Promise<void> {
  expect(await total()).toBe(rows);
  await vi.waitFor(
    async () => {
      await countAll(database.db);
      const counts = await compareCounts(database.db);
      expect(counts.kept).toEqual(counts.true);
    },
    { timeout: TIMEOUT_MS },
  );
  expect(await total()).toBe(rows);
  expect(await countLive()).toBe(0);
}

async function countLive(): Promise<number> {
  const { rows } = await sql<{ count: number }>`with ${liveRows(sql`true`)} select count(*) as count from live`.execute(
    database.db,
  );
  return rows[0]!.count;
}

/** Whether ended transactions have left more uncounted rows than one step counts. */
async function exceedsOneStep(): Promise<boolean> {
  const { counted_before, settled } = await findMark(database.db);
  return (await findReach(database.db, counted_before, settled, 25)).beyond !== null;
}

const openTransaction = () => database.db.startTransaction().execute();

describe('the stored counts of the audit trail', () => {
  it('the stored counts include each row once, by hour in UTC and by action, however often the counting runs', async () => {
    await insertEvents(database.db, some(50));
    expect(await total()).toBe(50);
    await countAll(database.db);
    await expectExact(50);
    await countAll(database.db);
    await insertEvents(database.db, some(50));
    expect(await total()).toBe(100);
    await countAll(database.db);
    await expectExact(100);
  });

  it('a row that commits late is in the total from its commit on, and is counted once', async () => {
    const late = await openTransaction();
    await insertEvents(late, some(3));
    await insertEvents(database.db, some(20));
    await countAll(database.db);
    expect(await total()).toBe(20);
    await insertEvents(late, some(2));
    await insertEvents(database.db, some(20));
    await countAll(database.db);
    expect(await total()).toBe(40);
    await late.commit().execute();
    expect(await total()).toBe(45);
    await countAll(database.db);
    await expectExact(45);
  });

  it('the stored counts do not include a row that is rolled back', async () => {
    const never = await openTransaction();
    await insertEvents(never, some(3));
    await insertEvents(database.db, some(20));
    await countAll(database.db);
    await never.rollback().execute();
    await countAll(database.db);
    await expectExact(20);
  });

  it('the stored counts are built in steps, and the total is exact after each step', async () => {
    for (let round = 0; round < 10; round++) await insertEvents(database.db, some(10));
    const late = await openTransaction();
    await insertEvents(late, some(5));
    for (let step = 0; step < 4; step++) {
      await countOnce(database.db, 25);
      expect(await total()).toBe(100);
    }
    await late.commit().execute();
    for (let step = 0; step < 4; step++) {
      expect(await total()).toBe(105);
      await countOnce(database.db, 25);
    }
    await expectExact(105);
    expect((await markOf(database.db)).counted_to).toBe(0);
  });

  it('a transaction with more rows than one step is counted by id, each row once, despite concurrent transactions', async () => {
    await insertEvents(database.db, some(10));
    await countAll(database.db, 25);
    const around = await openTransaction();
    await insertEvents(around, some(5));
    await insertEvents(database.db, some(120));
    await around.commit().execute();
    await insertEvents(database.db, some(10));
    await vi.waitFor(
      async () => {
        expect(await total()).toBe(145);
        await countOnce(database.db, 25);
        expect((await markOf(database.db)).counted_to).toBeGreaterThanOrEqual(145);
      },
      { timeout: TIMEOUT_MS, interval: 5 },
    );
    await expectExact(145);
    await insertEvents(database.db, some(10));
    await countAll(database.db, 25);
    await expectExact(155);
  });

  it('counting by id waits for uncommitted rows, without blocking writers', async () => {
    await insertEvents(database.db, some(60));
    const late = await openTransaction();
    await insertEvents(late, some(3));
    await vi.waitFor(() => expect(exceedsOneStep()).resolves.toBe(true), { timeout: TIMEOUT_MS });
    const counting = await openTransaction();
    const counted = countAuditRows(counting, 25);
    await untilBlocked(database, 1);
    await late.commit().execute();
    await counted;
    await insertEvents(database.db, some(1));
    await counting.commit().execute();
    await expectExact(64);
  });

  it('each row is counted once when three processes count at the same time', async () => {
    for (let round = 0; round < 20; round++) await insertEvents(database.db, some(10));
    await Promise.all([countAll(database.db, 30), countAll(database.db, 30), countAll(database.db, 30)]);
    await expectExact(200);
  });

  it('rows with an empty action are included only in the total', async () => {
    await insertEvents(database.db, [...some(5), ...some(2, { action: '' })]);
    await countAll(database.db);
    expect(await total()).toBe(7);
  });
});

describe('after a restore into a cluster that has counted fewer transactions', () => {
  const AHEAD = '90000000000';
  const setMark = (counted_before: string, counted_to = 0) =>
    sql`update audit_mark set counted_before = ${counted_before}::xid8, counted_to = ${counted_to}`.execute(
      database.db,
    );

  it('after a restore the counts are rebuilt, with the rows from before and after the restore', async () => {
    await insertEvents(database.db, some(40));
    await expectExact(40);
    await setMark(AHEAD);
    await insertEvents(database.db, some(20));
    expect(await total()).toBe(40);
    await dropForeignCounts(database.db);
    expect(await total()).toBe(60);
    await countAll(database.db, 15);
    await expectExact(60);
  });

  it('the sweep detects a restore into a cluster with lower transaction ids', async () => {
    await insertEvents(database.db, some(40));
    await countAll(database.db);
    await setMark(AHEAD);
    await insertEvents(database.db, some(20));
    await countAll(database.db);
    await expectExact(60);
  });

  it.each(['0', '5', AHEAD])(
    'after a restore, rows with transaction ids that the cluster has not reached are counted if the mark is %s',
    async (mark) => {
      await insertEvents(database.db, some(30, { xid: '80000000000' }));
      await insertEvents(database.db, some(30, { xid: '80000000001' }));
      await setMark(mark);
      await dropForeignCounts(database.db);
      await insertEvents(database.db, some(10));
      const late = await openTransaction();
      await insertEvents(late, some(1));
      expect(await total()).toBe(70);
      await late.commit().execute();
      await countAll(database.db, 20);
      await expectExact(71);
      await insertEvents(database.db, some(10));
      expect(await total()).toBe(81);
      await countAll(database.db, 20);
      await expectExact(81);
    },
  );

  it('after a restore the total is exact after each step', async () => {
    await insertEvents(database.db, some(60, { xid: '80000000000' }));
    await setMark(AHEAD);
    await dropForeignCounts(database.db);
    for (let step = 0; step < 8; step++) {
      await insertEvents(database.db, some(1));
      expect(await total()).toBe(61 + step);
      await countOnce(database.db, 20);
    }
    await expectExact(68);
  });

  it('dropForeignCounts keeps counts that were made in this cluster', async () => {
    await insertEvents(database.db, some(10));
    await expectExact(10);
    const before = await markOf(database.db);
    await dropForeignCounts(database.db);
    expect(await markOf(database.db)).toEqual(before);
    expect(await total()).toBe(10);
  });
});

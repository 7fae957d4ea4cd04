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

/** What a reader adds up: kept rows and those that are not. */
async function total(): Promise<number> {
  const { rows } = await sql<{ total: number }>`with ${liveRows(sql`true`)}
    select ((select coalesce(sum(count), 0) from audit_hours where action = '') + (select count(*) from live))::bigint
      as total`.execute(database.db);
  return rows[0]!.total;
}

/**
 * What is kept is what the rows say. A transaction under way anywhere in the cluster, of other tests too, can keep the counts
 * from going on for a moment.
 */
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

/** The rows before all transactions under way are more than a step takes. */
async function reachesBeyond(): Promise<boolean> {
  const { counted_before, settled } = await findMark(database.db);
  return (await findReach(database.db, counted_before, settled, 25)).beyond !== null;
}

/** A transaction beside the others, until it is let go of. */
const beside = () => database.db.startTransaction().execute();

describe('the kept counts of the audit trail', () => {
  it('hold each row once, by hour in UTC and by action, however often it is counted', async () => {
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

  it('a row that commits late is counted once, and never hidden', async () => {
    const late = await beside();
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

  it('one that is rolled back is not', async () => {
    const never = await beside();
    await insertEvents(never, some(3));
    await insertEvents(database.db, some(20));
    await countAll(database.db);
    await never.rollback().execute();
    await countAll(database.db);
    await expectExact(20);
  });

  it('many rows are taken in steps, and sums are exact after every one', async () => {
    for (let round = 0; round < 10; round++) await insertEvents(database.db, some(10));
    const late = await beside();
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

  it('one transaction with more rows than a step takes is counted by id, with others around it', async () => {
    await insertEvents(database.db, some(10));
    await countAll(database.db, 25);
    const around = await beside();
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

  it('by id it waits for rows under way, and lets writers go on at once', async () => {
    await insertEvents(database.db, some(60));
    const late = await beside();
    await insertEvents(late, some(3));
    await vi.waitFor(() => expect(reachesBeyond()).resolves.toBe(true), { timeout: TIMEOUT_MS });
    const counting = await beside();
    const counted = countAuditRows(counting, 25);
    await untilBlocked(database, 1);
    await late.commit().execute();
    await counted;
    await insertEvents(database.db, some(1));
    await counting.commit().execute();
    await expectExact(64);
  });

  it('two that count at the same time count each row once', async () => {
    for (let round = 0; round < 20; round++) await insertEvents(database.db, some(10));
    await Promise.all([countAll(database.db, 30), countAll(database.db, 30), countAll(database.db, 30)]);
    await expectExact(200);
  });

  it('rows with an action that has no name are part of the whole alone', async () => {
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

  it('the counts are made anew, and hold what came before and after', async () => {
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

  it('the sweep notices it, too', async () => {
    await insertEvents(database.db, some(40));
    await countAll(database.db);
    await setMark(AHEAD);
    await insertEvents(database.db, some(20));
    await countAll(database.db);
    await expectExact(60);
  });

  it.each(['0', '5', AHEAD])(
    'rows of transactions that are yet to come here count, with the mark at %s',
    async (mark) => {
      await insertEvents(database.db, some(30, { xid: '80000000000' }));
      await insertEvents(database.db, some(30, { xid: '80000000001' }));
      await setMark(mark);
      await dropForeignCounts(database.db);
      await insertEvents(database.db, some(10));
      const late = await beside();
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

  it('sums are exact after each step', async () => {
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

  it('counts that fit are left alone', async () => {
    await insertEvents(database.db, some(10));
    await expectExact(10);
    const before = await markOf(database.db);
    await dropForeignCounts(database.db);
    expect(await markOf(database.db)).toEqual(before);
    expect(await total()).toBe(10);
  });
});

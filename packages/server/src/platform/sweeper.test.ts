import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestClock } from '../../test/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../test/database.ts';
import { tryLock } from './db/lock.ts';
import { createLogger } from './log.ts';
import { createSweeper } from './sweeper.ts';

const log = createLogger({ level: 'silent' });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('works through full batches, and goes on to the next task when one fails', async () => {
  let left = 2_500;
  let others = 0;
  const sweeper = createSweeper(database.db, createTestClock(), log, [
    {
      name: 'many',
      sweep: async (_db, _now, limit) => {
        const done = Math.min(left, limit);
        left -= done;
        return done;
      },
    },
    { name: 'broken', sweep: () => Promise.reject(new Error('no')) },
    { name: 'after', sweep: async () => ++others && 0 },
  ]);
  await sweeper.pass();
  expect({ left, others }).toEqual({ left: 0, others: 1 });
});

it('leaves a task alone that another replica is at', async () => {
  let swept = 0;
  const sweeper = createSweeper(database.db, createTestClock(), log, [
    { name: 'shared', sweep: async () => ++swept && 0 },
  ]);
  await database.db.transaction().execute(async (tx) => {
    expect(await tryLock(tx, 'sweep shared')).toBe(true);
    await sweeper.pass();
  });
  expect(swept).toBe(0);
  await sweeper.pass();
  expect(swept).toBe(1);
});

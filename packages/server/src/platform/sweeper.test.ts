import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestClock } from '../../test/clock.ts';
import { useTestDatabase } from '../../test/database.ts';
import { SECRET } from '../../test/postgres.ts';
import { loadConfig } from './config/load.ts';
import { isLeaseTaken, tryLease } from './db/lease.ts';
import { tryLock } from './db/lock.ts';
import { createLogger } from './log.ts';
import { createSweeper } from './sweeper.ts';

const config = loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' });
const log = createLogger({ level: 'silent' });
const database = useTestDatabase();

it('the sweeper processes full batches, and continues with the next task if one fails', async () => {
  let left = 2_500;
  let others = 0;
  const sweeper = createSweeper({ db: database.db, clock: createTestClock(), log, config }, [
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
  expect(await sweeper.pass()).toBe(false);
  expect({ left, others }).toEqual({ left: 0, others: 1 });
});

it('the sweeper limits the batches per task and pass, and returns true if more rows may be left', async () => {
  let left = 60_500;
  const order: string[] = [];
  const sweeper = createSweeper({ db: database.db, clock: createTestClock(), log, config }, [
    {
      name: 'very many',
      sweep: async (_db, _now, limit) => {
        order.push('very many');
        const done = Math.min(left, limit);
        left -= done;
        return done;
      },
    },
    { name: 'few', sweep: async () => order.push('few') && 0 },
  ]);
  expect(await sweeper.pass()).toBe(true);
  expect({ left, last: order.at(-1) }).toEqual({ left: 10_500, last: 'few' });
  expect(await sweeper.pass()).toBe(false);
  expect(left).toBe(0);
});

it('the sweeper runs on one replica at a time, and on another when the lease has expired', async () => {
  const { db } = database;
  const asked = await Promise.all(Array.from({ length: 5 }, () => tryLease(db, 'test', 60)));
  expect(asked.filter(Boolean)).toHaveLength(1);
  expect(await isLeaseTaken(db, 'test')).toBe(true);
  await sql`update turns set taken_until = clock_timestamp() where name = 'test'`.execute(db);
  expect(await isLeaseTaken(db, 'test')).toBe(false);
  expect(await tryLease(db, 'test', 60)).toBe(true);
  expect(await tryLease(db, 'test', 60)).toBe(false);
});

it('the sweeper skips a task that another replica is running', async () => {
  let swept = 0;
  const sweeper = createSweeper({ db: database.db, clock: createTestClock(), log, config }, [
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

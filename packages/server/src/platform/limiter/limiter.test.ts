import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { useTestDatabase } from '../../../test/database.ts';
import { after } from '../clock.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { deleteCounter, deleteExpiredCounters } from './queries.ts';

const database = useTestDatabase({ poolSize: 10 });

const KEY = Buffer.alloc(32, 7);
const QUOTA = { count: 5, window: 60 };
const hit = (limiter: Limiter, kind: string, subject: string) => limiter.hit(limiter.counter(kind, subject, QUOTA));

describe('the limiter', () => {
  it('allows exactly the quota to 50 concurrent requests through two replicas', async () => {
    const clock = createTestClock();
    const replicas = [createLimiter(database.db, clock, KEY), createLimiter(database.db, clock, KEY)];
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => hit(replicas[index % 2]!, 'race', 'subject')),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(5);
  });

  it('counts 50 concurrent requests of one client in two statements', async () => {
    let statements = 0;
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => {
        statements++;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const limiter = createLimiter(db, createTestClock(), KEY);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => hit(limiter, 'together', 'subject')));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual(Array.from({ length: 50 }, (_, index) => index < 5));
    expect(statements).toBe(2);
  });

  it('rejects all requests that a failed statement counted, and counts the next one', async () => {
    const clock = createTestClock();
    let isFailing = true;
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => {
        if (isFailing) throw new Error('the database is down');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const limiter = createLimiter(db, clock, KEY);
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => hit(limiter, 'failing', 'subject')));
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    isFailing = false;
    expect((await hit(limiter, 'failing', 'subject')).allowed).toBe(true);
  });

  it('returns the seconds to wait over the limit, and allows requests again after them', async () => {
    const clock = createTestClock();
    const limiter = createLimiter(database.db, clock, KEY);
    for (let index = 0; index < 5; index++) await hit(limiter, 'wait', 'subject');
    clock.advance(20);
    expect(await hit(limiter, 'wait', 'subject')).toEqual({ allowed: false, retryAfter: 40 });
    clock.advance(40);
    expect((await hit(limiter, 'wait', 'subject')).allowed).toBe(true);
  });

  it('writes nothing for requests beyond the limit', async () => {
    const limiter = createLimiter(database.db, createTestClock(), KEY);
    for (let index = 0; index < 50; index++) await hit(limiter, 'flood', 'subject');
    const counts = await database.db.selectFrom('rate_counters').select('count').orderBy('count', 'desc').execute();
    expect(counts.filter(({ count }) => count > 10 && count < 50)).toEqual([]);
  });

  it('counts kinds and subjects separately, and stores neither in readable form', async () => {
    const limiter = createLimiter(database.db, createTestClock(), KEY);
    for (let index = 0; index < 6; index++) await hit(limiter, 'one', 'person@example.com');
    expect((await hit(limiter, 'one', 'other@example.com')).allowed).toBe(true);
    expect((await hit(limiter, 'two', 'person@example.com')).allowed).toBe(true);
    const rows = await database.db.selectFrom('rate_counters').selectAll().execute();
    expect(rows.map((row) => row.key.toString('latin1')).join()).not.toContain('example');
  });

  it('concurrent deletions of a counter below the limit never report it as full', async () => {
    const clock = createTestClock();
    const limiter = createLimiter(database.db, clock, KEY);
    const counter = limiter.counter('row', 'subject', QUOTA, { inRow: true });
    for (let round = 0; round < 20; round++) {
      await limiter.hit(counter);
      const ends = await Promise.all(
        Array.from({ length: 10 }, () => deleteCounter(database.db, counter, clock.now())),
      );
      expect(ends).toEqual(Array(10).fill(null));
    }
    for (let index = 0; index < 5; index++) await limiter.hit(counter);
    expect(await deleteCounter(database.db, counter, clock.now())).toEqual(after(clock.now(), 60));
    clock.advance(60);
    expect(await deleteCounter(database.db, counter, clock.now())).toBeNull();
  });

  it('deletes expired counters', async () => {
    const clock = createTestClock(new Date('2020-01-01T00:00:00Z'));
    await hit(createLimiter(database.db, clock, KEY), 'swept', 'subject');
    expect(await deleteExpiredCounters(database.db, new Date('2020-01-02T00:00:00Z'), 10)).toBe(1);
  });
});

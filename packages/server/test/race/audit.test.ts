import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareCounts, countAll, insertEvents } from '../../src/domain/audit/counts/trail-fixture.ts';
import { bearer, createBrowser, registerUser, type TestUser } from '../browser.ts';
import { NO_LIMITS } from '../no-limits.ts';
import { setUser } from '../records.ts';
import { useReplicas } from '../replicas.ts';

const KEY = 'the key of the exports';
/** Pause of the background loops, which would otherwise use all CPU time. */
const PAUSE_MS = 10;

const replicas = useReplicas(2, {
  TIER: 'premium',
  AUDIT_EXPORT_KEY: KEY,
  ...NO_LIMITS,
});
let admin: TestUser;
beforeAll(async () => {
  admin = await registerUser(replicas.urls[0]!);
  await setUser(replicas.database, admin.user_id, { platform_role: 'admin' });
});

const get = (index: number, path: string) =>
  createBrowser(replicas.either(index)).get(path, bearer(admin.access_token));

async function countRows(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit_events`.execute(
    replicas.database.db,
  );
  return rows[0]!.count;
}

/** Signs in through both servers, alternately with a wrong password, until the returned function is called. */
function keepBusy(users: readonly TestUser[]): () => Promise<void> {
  let busy = true;
  const run = async (user: TestUser, index: number) => {
    for (let round = index; busy; round++) {
      const password = round % 2 === 0 ? user.password : 'wrong password';
      await createBrowser(replicas.either(round)).post('/auth/login', { email: user.email, password });
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(users.map(run));
  return async () => {
    busy = false;
    await running;
  };
}

/** Runs overlapping transactions that take their ids early and commit later, until the returned function is called. */
function keepWriting(writers: number): () => Promise<void> {
  let writing = true;
  const run = async () => {
    while (writing) {
      await replicas.database.db.transaction().execute(async (tx) => {
        for (let part = 0; part < 5; part++) await insertEvents(tx, Array(3).fill({ timestamp: new Date() }));
      });
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: writers }, run));
  return async () => {
    writing = false;
    await running;
  };
}

/** Counts audit rows like this many sweepers until the returned function is called. */
function keepCounting(sweepers: number): () => Promise<void> {
  let counting = true;
  const run = async () => {
    for (; counting; await sleep(PAUSE_MS)) await countAll(replicas.database.db, 20);
  };
  const running = Promise.all(Array.from({ length: sweepers }, run));
  return async () => {
    counting = false;
    await running;
  };
}

describe('the audit trail while it is written and counted', () => {
  it('the total never decreases, is consistent with the returned page, and is exact in the end, on both servers', async () => {
    const users = await replicas.many(2, (url) => registerUser(url));
    const stopRequests = keepBusy(users);
    const stopWriting = keepWriting(2);
    const stopCounting = keepCounting(2);
    const queries = ['', '&action=auth.login', `&user_id=${users[0]!.user_id}`, '&from=2020-01-01T00:30:00Z'];
    const seen = new Map<string, number>(queries.map((query) => [query, 0]));
    for (let index = 0; index < 24; index++) {
      const query = queries[index % queries.length]!;
      const { json } = await get(index, `/audit-logs?page_size=100${query}`);
      expect(json.total).toBeGreaterThanOrEqual(seen.get(query)!);
      if (json.total <= 100) expect(json.items).toHaveLength(json.total);
      else expect(json.items).toHaveLength(100);
      seen.set(query, json.total);
    }
    await Promise.all([stopRequests(), stopWriting()]);
    await stopCounting();
    const rows = await countRows();
    expect(rows).toBeGreaterThan(100);
    for (const index of [0, 1]) expect((await get(index, '/audit-logs')).json.total).toBe(rows);
    await expect
      .poll(async () => {
        await countAll(replicas.database.db);
        const counts = await compareCounts(replicas.database.db);
        return JSON.stringify(counts.kept) === JSON.stringify(counts.true);
      })
      .toBe(true);
    for (const index of [0, 1]) expect((await get(index, '/audit-logs')).json.total).toBe(rows);
  });

  it('an export contains the rows of one snapshot and has a valid signature', async () => {
    const users = await replicas.many(2, (url) => registerUser(url));
    const stopRequests = keepBusy(users);
    for (let index = 0; index < 4; index++) {
      const before = await countRows();
      const { text, headers } = await get(index, '/admin/audit-export');
      const after = await countRows();
      const at = text.lastIndexOf('\n', text.length - 2) + 1;
      const { _signature, _count } = JSON.parse(text.slice(at));
      expect(_signature).toBe(`sha256=${createHmac('sha256', KEY).update(text.slice(0, at)).digest('hex')}`);
      expect(headers['x-service-signature']).toBe(_signature);
      const ids = text
        .slice(0, at)
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id as number);
      expect(ids).toHaveLength(_count);
      expect(ids).toEqual([...ids].sort((left, right) => left - right));
      expect(_count).toBeGreaterThanOrEqual(before);
      expect(_count).toBeLessThanOrEqual(after);
    }
    await stopRequests();
  });
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationFeed } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, type Database } from '../../src/platform/db/connect.ts';
import { createBrowser, registerUser } from '../browser.ts';
import { useReplicas } from '../replicas.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';

const FEED = '/.well-known/service-revocations.json';

const replicas = useReplicas();
let writers: Database;
beforeAll(async () => {
  writers = connectDatabase({ address: replicas.database.address, poolSize: 8, onIdleError: () => {} });
});
afterAll(async () => {
  await writers.close();
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

const readFeed = async (url: string, after?: string): Promise<RevocationFeed> => {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
  const { status, json } = await createBrowser(url).get(`${FEED}${query}`);
  expect(status).toBe(200);
  return json;
};

/** A client that polls through a load balancer: it continues with the cursor of any server. */
async function openPoller() {
  let { cursor, revocations } = await readFeed(here());
  const received = new Set(revocations.map(({ sid }) => sid));
  const poller = {
    received,
    fullFeeds: 0,
    async poll(url: string): Promise<void> {
      const feed = await readFeed(url, cursor);
      if (!feed.partial) poller.fullFeeds++;
      for (const { sid } of feed.revocations) received.add(sid);
      ({ cursor, revocations } = feed);
    },
  };
  return poller;
}

describe('the revocation feed of two servers, by cursor', () => {
  it('a revocation at one server appears in a partial feed of the other', async () => {
    const poller = await openPoller();
    for (const [from, to] of [
      [here(), there()],
      [there(), here()],
    ] as const) {
      const user = await registerUser(from);
      await user.browser.post('/auth/logout');
      const end = performance.now() + INVALIDATED_WITHIN_MS;
      while (!poller.received.has(user.session_id) && performance.now() < end) {
        await poller.poll(to);
        await sleep(50);
      }
      expect(poller.received).toContain(user.session_id);
    }
    expect(poller.fullFeeds).toBe(0);
  });

  it('the feed by cursor omits no entry of concurrent writers with long transactions', async () => {
    const poller = await openPoller();
    const committed: string[] = [];
    const end = performance.now() + 3_500;
    const write = async (): Promise<void> => {
      const sid = randomUUID();
      const times = { revoked_at: new Date(), expires_at: new Date(Date.now() + 600_000) };
      const isKept = Math.random() < 0.9;
      const work = writers.db.transaction().execute(async (tx) => {
        await tx
          .insertInto('revocations')
          .values({ sid, ...times })
          .execute();
        // Some transactions stay open during several reads of the feed.
        await sleep(Math.random() < 0.1 ? 2_500 * Math.random() : 30 * Math.random());
        if (!isKept) throw new Error('rolled back');
      });
      await work.then(
        () => committed.push(sid),
        () => {},
      );
    };
    const writing = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (performance.now() < end) await write();
      }),
    );
    let isOver = false;
    const polling = (async () => {
      for (let round = 0; !isOver; round++) {
        await poller.poll(replicas.either(round));
        await sleep(50);
      }
    })();
    await writing;
    isOver = true;
    await polling;
    // Each server reads the database at most once a second.
    await sleep(1_100);
    await poller.poll(here());
    expect(committed.length).toBeGreaterThan(20);
    expect(committed.filter((sid) => !poller.received.has(sid))).toEqual([]);
    expect(poller.fullFeeds).toBe(0);
  });

  it('without new entries, both servers return 304 for the ETag of the other', async () => {
    await sleep(1_100);
    const first = await createBrowser(here()).get(FEED);
    const tag = { headers: { 'if-none-match': String(first.headers.etag) } };
    for (const url of replicas.urls) {
      expect((await createBrowser(url).get(FEED, tag)).status).toBe(304);
      expect((await createBrowser(url).get(`${FEED}?after=${first.json.cursor}`, tag)).status).toBe(304);
    }
  });
});

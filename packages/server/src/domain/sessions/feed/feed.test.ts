import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RevocationFeed } from '@gatehouse/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestClock, type TestClock } from '../../../../test/clock.ts';
import { useTestDatabase } from '../../../../test/database.ts';
import type { Db } from '../../../platform/db/connect.ts';
import { deleteExpiredRefreshes, publishRefreshes } from '../role-changes/queries.ts';
import { createRevocationFeed, type RevocationFeedCache } from './feed.ts';

const database = useTestDatabase({ poolSize: 12 });
let clock: TestClock;
let feed: RevocationFeedCache;

/** Milliseconds added to the monotonic clock. The feed is read again if its last read is more than a second old. */
let moved = 0;
beforeEach(async () => {
  const real = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => real() + moved);
  clock = createTestClock();
  feed = createRevocationFeed(database.db, clock);
  await database.db.deleteFrom('revocations').execute();
});
afterEach(() => vi.restoreAllMocks());

const parse = ({ parts }: { parts: readonly Buffer[] }): RevocationFeed => JSON.parse(Buffer.concat(parts).toString());
/** Advances the clock and reads the feed, so that everything committed is included. */
const read = async (after?: string, from = feed): Promise<RevocationFeed & { etag: string; sids: string[] }> => {
  moved += 1_000;
  const rendered = await from.read(after);
  const body = parse(rendered);
  return { ...body, etag: rendered.etag, sids: body.revocations.map(({ sid }) => sid).sort() };
};

const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
const add = async (db: Db, expires = 900, sid: string = randomUUID()): Promise<string> => {
  await db
    .insertInto('revocations')
    .values({ sid, revoked_at: at(0), expires_at: at(expires) })
    .execute();
  return sid;
};
const addMany = (count: number, expires = 900) =>
  sql`insert into revocations (sid, revoked_at, expires_at)
    select gen_random_uuid(), ${at(0)}, ${at(expires)} from generate_series(1, ${count}::int)`.execute(database.db);

/** Sorts after every other id. */
const LAST = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

/** Returns a database whose results for the feed's queries are changed. */
const altered = (alter: (row: { snapshot: string; identity: string }) => object | Promise<object>): Db => {
  const plugin = {
    transformQuery: ({ node }: { node: unknown }) => node,
    transformResult: async ({ result }: { result: { rows: { snapshot: string; identity: string }[] } }) => ({
      ...result,
      rows: await Promise.all(
        result.rows.map(async (row) => ('identity' in row ? { ...row, ...(await alter(row)) } : row)),
      ),
    }),
  };
  return database.db.withPlugin(plugin as never);
};

describe('the full feed', () => {
  it('has the entries of the database, the time of generation and a cursor', async () => {
    const sid = await add(database.db);
    expect(await read()).toEqual({
      generated_at: at(0).toISOString(),
      max_staleness_seconds: 5,
      cursor: expect.stringMatching(/^[\w.-]+$/),
      refreshes: [],
      revocations: [{ sid, revoked_at: at(0).toISOString(), expires_at: at(900).toISOString() }],
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      sids: [sid],
    });
  });

  it('has all entries of several pages, and those added later', async () => {
    await addMany(4_500);
    expect((await read()).sids).toHaveLength(4_500);
    await addMany(4_500);
    const { sids } = await read();
    expect(sids).toHaveLength(9_000);
    expect(new Set(sids).size).toBe(9_000);
  });

  it('an entry that is added while the pages of the first load are read is in the full feed once', async () => {
    await addMany(4_500);
    let isFirst = true;
    const slow = altered(async () => {
      if (isFirst) await add(database.db, 900, LAST);
      isFirst = false;
      return {};
    });
    const other = createRevocationFeed(slow, clock);
    const listed = (sids: string[]) => sids.filter((sid) => sid === LAST);
    expect(listed((await read(undefined, other)).sids)).toEqual([LAST]);
    const after = await read(undefined, other);
    expect(listed(after.sids)).toEqual([LAST]);
    expect(after.etag).toBe((await read()).etag);
  });

  it('drops an entry when the last access token of its session has expired, and the ETag changes', async () => {
    await add(database.db, 900);
    const long = await add(database.db, 1_800);
    const before = await read();
    clock.advance(899);
    expect(await read()).toMatchObject({ etag: before.etag, generated_at: at(0).toISOString() });
    clock.advance(1);
    const after = await read();
    expect(after.sids).toEqual([long]);
    expect(after.etag).not.toBe(before.etag);
  });

  it('has the same ETag at every replica, whenever each replica has read it', async () => {
    await read();
    await addMany(700);
    await read();
    await addMany(3);
    const other = createRevocationFeed(database.db, clock);
    expect((await read(undefined, other)).etag).toBe((await read()).etag);
  });

  it('is read once for concurrent callers', async () => {
    await read();
    moved += 1_000;
    const answers = await Promise.all(Array.from({ length: 20 }, () => feed.read()));
    expect(new Set(answers).size).toBe(1);
  });

  it('is complete after a read that failed halfway', async () => {
    let pages = Number.POSITIVE_INFINITY;
    const broken = altered(() => {
      if (--pages < 0) throw new Error('the connection was lost');
      return {};
    });
    const fragile = createRevocationFeed(broken, clock);
    await read(undefined, fragile);
    await addMany(4_500);
    pages = 1;
    await expect(read(undefined, fragile)).rejects.toThrow('the connection was lost');
    pages = Number.POSITIVE_INFINITY;
    expect((await read(undefined, fragile)).sids).toHaveLength(4_500);
  });

  it('includes rows from before the migration', async () => {
    const sid = randomUUID();
    await sql`insert into revocations (sid, revoked_at, expires_at, xid) values (${sid}, ${at(0)}, ${at(900)}, null)`.execute(
      database.db,
    );
    const { sids, cursor } = await read();
    expect(sids).toEqual([sid]);
    expect((await read(cursor)).sids).toEqual([]);
  });
});

describe('the feed since a cursor', () => {
  it('has the entries added since, and a new cursor', async () => {
    const first = await add(database.db);
    const full = await read();
    expect(full).not.toHaveProperty('partial');
    const second = await add(database.db);
    const partial = await read(full.cursor);
    expect(partial).toMatchObject({ partial: true, max_staleness_seconds: 5, sids: [second] });
    expect(await read(partial.cursor)).toMatchObject({ partial: true, sids: [] });
    expect((await read(full.cursor)).sids).toEqual([second]);
    expect((await read()).sids).toEqual([first, second].sort());
  });

  it('has an entry whose transaction began before the cursor and committed after it', async () => {
    const late = randomUUID();
    let cursor = '';
    await database.db.transaction().execute(async (tx) => {
      await add(tx, 900, late);
      // Other transactions begin later and commit sooner.
      await addMany(5);
      const full = await read();
      expect(full.sids).toHaveLength(5);
      cursor = full.cursor;
      await addMany(3);
      const partial = await read(cursor);
      expect(partial.sids).toHaveLength(3);
      cursor = partial.cursor;
    });
    expect((await read(cursor)).sids).toEqual([late]);
    // The first replica has the entry too.
    expect((await read()).sids).toContain(late);
  });

  it('does not repeat entries because of an old open transaction', async () => {
    await database.db.transaction().execute(async (tx) => {
      await add(tx);
      await addMany(50);
      const { cursor } = await read();
      expect((await read(cursor)).sids).toEqual([]);
    });
  });

  it('is returned for a cursor of any replica, also by a replica that was started later', async () => {
    const other = createRevocationFeed(database.db, clock);
    await addMany(3);
    const { cursor } = await read();
    const sid = await add(database.db);
    expect(await read(cursor, other)).toMatchObject({ partial: true, sids: [sid] });
  });

  it('for a cursor of a replica that has read later, the feed is read again first, and omits nothing', async () => {
    const other = createRevocationFeed(database.db, clock);
    await read();
    const sid = await add(database.db);
    const { cursor } = await read(undefined, other);
    moved -= 1_000;
    // This replica has read less than a second ago and does not have the entry yet.
    const body = parse(await feed.read(cursor));
    expect(body).toMatchObject({ partial: true, revocations: [] });
    const next = await add(database.db);
    expect((await read(body.cursor)).sids).toEqual([next]);
    expect((await read()).sids).toEqual([sid, next].sort());
  });

  it('the feed since a cursor omits no entry of many writers with long transactions, when read through two replicas', async () => {
    const other = createRevocationFeed(database.db, clock);
    const committed: string[] = [];
    const write = async (): Promise<void> => {
      const sid = randomUUID();
      const keeps = Math.random() < 0.9;
      await database.db
        .transaction()
        .execute(async (tx) => {
          await add(tx, 900, sid);
          await sleep(Math.random() < 0.2 ? 150 : Math.random() * 20);
          if (!keeps) throw new Error('rolled back');
        })
        .then(
          () => committed.push(sid),
          () => {},
        );
    };
    const heard = new Set<string>();
    let { cursor } = await read();
    let full = 0;
    const poll = async (from: RevocationFeedCache): Promise<void> => {
      const body = await read(cursor, from);
      if (!body.partial) full++;
      for (const sid of body.sids) heard.add(sid);
      cursor = body.cursor;
    };
    let writing = true;
    const writers = Array.from({ length: 8 }, async () => {
      for (let index = 0; index < 40; index++) await write();
    });
    const polling = (async () => {
      for (let turn = 0; writing; turn++) await poll(turn % 2 ? feed : other);
    })();
    await Promise.all(writers);
    writing = false;
    await polling;
    await poll(feed);
    expect(committed.length).toBeGreaterThan(200);
    expect(committed.filter((sid) => !heard.has(sid))).toEqual([]);
    expect(full).toBe(0);
    expect((await read(undefined, other)).sids).toEqual([...committed].sort());
  });
});

describe('a forged cursor', () => {
  it('does not affect the readers of other cursors', async () => {
    const { cursor } = await read();
    const sid = await add(database.db);
    const { cursor: later } = await read();
    const [instance, xmin] = cursor.split('.');
    const open = Array.from({ length: 51 }, (_, index) => (36 ** 5 + index).toString(36)).join('-');
    await feed.read(`${instance}.${xmin}.${later.split('.')[2]}.${open}`);
    expect(parse(await feed.read(cursor)).revocations).toMatchObject([{ sid }]);
  });
});

describe('a cursor that is unknown gets the full feed', () => {
  it.each(['', 'nonsense', 'AAAAAAAAAAA.1.2.', 'x'.repeat(5_000)])(
    'the unknown cursor %j gets the full feed',
    async (cursor) => {
      const sid = await add(database.db);
      await read();
      const body = await read(cursor);
      expect(body).not.toHaveProperty('partial');
      expect(body.sids).toEqual([sid]);
    },
  );

  it('a cursor from after the last transaction of the database gets the full feed', async () => {
    const sid = await add(database.db);
    const { cursor } = await read();
    const [instance] = cursor.split('.');
    const body = await read(`${instance}.zzzzzzz.zzzzzzz.`);
    expect(body).not.toHaveProperty('partial');
    expect(body.sids).toEqual([sid]);
  });
});

describe('a database that was replaced', () => {
  it('the database is read from the beginning after a restart or failover, and earlier cursors are unknown', async () => {
    let identity = 'first';
    const moving = createRevocationFeed(
      altered(() => ({ identity })),
      clock,
    );
    await addMany(4);
    const { cursor } = await read(undefined, moving);
    await addMany(1);
    identity = 'second';
    const body = await read(cursor, moving);
    expect(body).not.toHaveProperty('partial');
    expect(body.sids).toHaveLength(5);
  });

  it('the database is read from the beginning if its transaction ids went back', async () => {
    let snapshot: string | undefined = '9000000000:9000000000:';
    const rewound = createRevocationFeed(
      altered((row) => ({ snapshot: snapshot ?? row.snapshot })),
      clock,
    );
    await addMany(4);
    await read(undefined, rewound);
    snapshot = undefined;
    await addMany(2);
    expect((await read(undefined, rewound)).sids).toHaveLength(6);
  });
});

describe('changes of roles', () => {
  const keyOf = (letter: string) => letter.repeat(43);
  const change = (key: string, expires = 900) =>
    database.db
      .insertInto('refreshes')
      .values({ key: keyOf(key), expires_at: at(expires) })
      .execute();
  const publish = () => publishRefreshes(database.db, at(900));
  const keysIn = ({ refreshes }: RevocationFeed) => refreshes.map(({ key }) => key[0]).sort();
  beforeEach(async () => {
    await database.db.deleteFrom('refreshes').execute();
  });

  it('are listed with the time of publication by the clock of the database', async () => {
    const earliest = await databaseTime();
    await change('a');
    await publish();
    const { refreshes } = await read();
    expect(refreshes).toEqual([{ key: keyOf('a'), before: expect.any(Number), expires_at: at(900).toISOString() }]);
    expect(refreshes[0]!.before).toBeGreaterThan(earliest);
    expect(refreshes[0]!.before).toBeLessThanOrEqual((await databaseTime()) + 1);
  });

  it('a committed change that its process did not publish is published by the feed', async () => {
    await change('a');
    const { refreshes } = await read();
    expect(refreshes).toHaveLength(1);
    expect((await read()).refreshes).toEqual(refreshes);
  });

  it('have one entry for each key, the latest, in full and partial feeds and at every replica', async () => {
    await change('a');
    await change('b');
    await publish();
    const first = await read();
    expect(keysIn(first)).toEqual(['a', 'b']);
    await change('a', 2_000);
    await publish();
    await change('a', 10);
    await change('c');
    await publish();
    const partial = await read(first.cursor);
    expect(partial.partial).toBe(true);
    expect(keysIn(partial)).toEqual(['a', 'c']);
    const full = await read();
    expect(keysIn(full)).toEqual(['a', 'b', 'c']);
    const latest = full.refreshes.find(({ key }) => key === keyOf('a'))!;
    expect(latest.before).toBeGreaterThan(first.refreshes.find(({ key }) => key === keyOf('a'))!.before);
    // The entry replaces one with a later expiry, and takes over that expiry.
    expect(latest.expires_at).toBe(at(2_000).toISOString());
    expect(partial.refreshes).toContainEqual(latest);
    expect(full.etag).not.toBe(first.etag);
    const other = await read(undefined, createRevocationFeed(database.db, clock));
    expect(other.etag).toBe(full.etag);
    expect(keysIn(other)).toEqual(['a', 'b', 'c']);
    expect((await read(full.cursor)).refreshes).toEqual([]);
  });

  it('an earlier entry that becomes visible later does not replace the latest one', async () => {
    await change('a');
    await publish();
    const { refreshes } = await read();
    await sql`insert into refreshes (key, before, expires_at, xid)
      values (${keyOf('a')}, 1, ${at(900)}, pg_current_xact_id())`.execute(database.db);
    expect((await read()).refreshes).toEqual(refreshes);
  });

  it('disappear when they expire, and the ETag is that of an empty feed', async () => {
    const { etag } = await read();
    await change('a', 900);
    await publish();
    expect((await read()).etag).not.toBe(etag);
    clock.advance(901);
    expect(await read()).toMatchObject({ refreshes: [], etag });
    await deleteExpiredRefreshes(database.db, clock.now(), 100);
    const rows = await database.db.selectFrom('refreshes').selectAll().execute();
    expect(rows).toEqual([]);
  });

  it('are each published once, also by concurrent publishers', async () => {
    for (let index = 0; index < 20; index++) await change('a');
    await Promise.all(Array.from({ length: 8 }, publish));
    const rows = await database.db.selectFrom('refreshes').select(['before', 'xid']).execute();
    expect(rows.filter(({ before }) => before === null)).toEqual([]);
  });

  it('are listed without duplicates if there are many', async () => {
    await sql`insert into refreshes (key, expires_at)
      select rpad(n::text, 43, 'x'), ${at(900)} from generate_series(1, 1000) n`.execute(database.db);
    expect((await read()).refreshes).toHaveLength(1000);
    await sql`insert into refreshes (key, expires_at)
      select rpad(n::text, 43, 'x'), ${at(900)} from generate_series(500, 1500) n`.execute(database.db);
    const { refreshes } = await read();
    expect(refreshes).toHaveLength(1500);
    expect(new Set(refreshes.map(({ key }) => key)).size).toBe(1500);
  });
});

const databaseTime = async (): Promise<number> => {
  const { rows } = await sql<{ ms: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(database.db);
  return rows[0]!.ms;
};

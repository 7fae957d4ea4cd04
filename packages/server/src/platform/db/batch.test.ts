import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { batched } from './batch.ts';
import type { Db } from './connect.ts';

const database = useTestDatabase({ empty: true, poolSize: 10 });

beforeAll(async () => {
  await sql`create table tickets (id uuid primary key, holder text, used_at timestamptz)`.execute(database.db);
});

interface Use {
  readonly id: string;
  readonly holder: string;
  readonly now: Date;
}

const createUse = () =>
  batched<Use, 'id', { id: string; holder: string; nth: number }>({
    table: 'tickets',
    key: 'id',
    columns: { id: 'uuid', holder: 'text', now: 'timestamptz' },
    statement: ({ id, holder, now, nth }, { cte, from }) => sql<{ id: string; holder: string; nth: number }>`
      with ${cte} used as (
        update tickets set holder = ${holder}::text, used_at = ${now}::timestamptz
        from (select 1) as none${from} where tickets.id = ${id}::uuid and used_at is null
        returning tickets.id, tickets.holder, ${nth}::int as nth
      ) select * from used`,
  });

/** Counts statements. `hold` is called with the rows of each before they are returned. */
function observed(hold = async (_rows: readonly Record<string, unknown>[]): Promise<void> => {}) {
  const seen = { statements: 0, db: undefined as unknown as Db };
  seen.db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      seen.statements++;
      await hold(result.rows);
      return result;
    },
  });
  return seen;
}

async function createTickets(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await sql`insert into tickets (id) select unnest(${ids}::uuid[])`.execute(database.db);
  return ids;
}

/** Shorter than TIMEOUT_MS, because `npm run mutate` waits for it. */
const STALLED_FOR_MS = 30_000;

const now = new Date('2026-01-01T00:00:00Z');

it('requests that arrive while a statement runs share the next statement, and each gets its own row', async () => {
  const use = createUse();
  const seen = observed();
  const ids = await createTickets(20);
  const rows = await Promise.all(ids.map((id) => use(seen.db, { id, holder: `holder of ${id}`, now })));
  expect(rows).toMatchObject(ids.map((id) => ({ id, holder: `holder of ${id}` })));
  expect(seen.statements).toBe(2);
  const { rows: stored } = await sql<{ id: string; holder: string; used_at: Date }>`
    select * from tickets where id = any (${ids}::uuid[]) order by id`.execute(database.db);
  expect(stored).toEqual(ids.toSorted().map((id) => ({ id, holder: `holder of ${id}`, used_at: now })));
});

it('of 50 requests from two replicas for five rows, exactly one per row succeeds', async () => {
  const [one, other] = [createUse(), createUse()];
  const ids = await createTickets(5);
  const uses = Array.from({ length: 50 }, (_, index) => ({ id: ids[index % 5]!, holder: `request ${index}`, now }));
  const rows = await Promise.all(uses.map((use, index) => (index % 2 === 0 ? one : other)(database.db, use)));
  const used = rows.filter((row) => row !== undefined);
  expect(used.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  const { rows: stored } = await sql`select id, holder from tickets where id = any (${ids}::uuid[])`.execute(
    database.db,
  );
  expect(stored).toEqual(expect.arrayContaining(used.map(({ id, holder }) => ({ id, holder }))));
});

it('a locked row in a batch delays only the request for it', async () => {
  const use = createUse();
  const ids = await createTickets(10);
  const [locked, ...others] = ids;
  let isDone = false;
  const { late } = await database.db.transaction().execute(async (tx) => {
    await sql`select from tickets where id = ${locked}::uuid for update`.execute(tx);
    // The first request runs alone, and the locked row is in the batch after it.
    const first = use(database.db, { id: others[0]!, holder: 'first', now });
    const late = use(database.db, { id: locked!, holder: 'late', now }).finally(() => {
      isDone = true;
    });
    const rows = await Promise.all(others.slice(1).map((id) => use(database.db, { id, holder: 'early', now })));
    expect(rows.map((row) => row?.holder)).toEqual(Array(8).fill('early'));
    expect((await first)?.holder).toBe('first');
    expect(isDone).toBe(false);
    return { late };
  });
  expect(await late).toMatchObject({ id: locked, holder: 'late' });
});

it('a value that PostgreSQL rejects fails only its own request', async () => {
  const use = createUse();
  const ids = await createTickets(6);
  const results = await Promise.allSettled(
    ids.map((id, index) => use(database.db, { id, holder: index === 3 ? 'NUL \0' : 'fine', now })),
  );
  expect(results.map(({ status }) => status)).toEqual(ids.map((_, index) => (index === 3 ? 'rejected' : 'fulfilled')));
});

it('a failed statement rejects its requests, and later requests are executed', async () => {
  const use = createUse();
  const seen = observed(async (rows) => {
    if (rows.length > 1) throw new Error('the connection was lost');
  });
  const ids = await createTickets(4);
  const results = await Promise.allSettled(ids.map((id) => use(seen.db, { id, holder: 'one', now })));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  const [id] = await createTickets(1);
  expect(await use(seen.db, { id: id!, holder: 'two', now })).toMatchObject({ id, holder: 'two' });
});

it('requests do not wait for a stalled statement, whether they arrive at once or one after another', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const use = createUse();
  const seen = observed(async (rows) => {
    if (rows.some(({ holder }) => holder === 'stalled')) await held;
  });
  const [stalled, ...others] = await createTickets(8);
  let isReleased = false;
  const first = use(seen.db, { id: stalled!, holder: 'stalled', now }).finally(() => {
    isReleased = true;
  });
  const meanwhile = others.splice(0, 3).map((id) => use(seen.db, { id, holder: 'meanwhile', now }));
  const done: (string | undefined)[] = [];
  const later = Promise.all(meanwhile).then(async (rows) => {
    done.push(...rows.map((row) => row?.holder));
    for (const id of others) done.push((await use(seen.db, { id, holder: 'later', now }))?.holder);
  });
  const expected = [...Array(3).fill('meanwhile'), ...Array(4).fill('later')];
  await expect.poll(() => done, { timeout: STALLED_FOR_MS }).toEqual(expected);
  await later;
  expect(isReleased).toBe(false);
  release();
  expect((await first)?.holder).toBe('stalled');
});

it('a key in another spelling than that of PostgreSQL gets its row', async () => {
  const use = createUse();
  const ids = await createTickets(4);
  const rows = await Promise.all(ids.map((id) => use(database.db, { id: id.toUpperCase(), holder: id, now })));
  expect(rows.map((row) => row?.holder)).toEqual(ids);
});

it('after a batch that shows load, requests that arrive one after another share a statement', async () => {
  const use = createUse();
  const seen = observed();
  const requestOf = (id: string) => use(seen.db, { id, holder: id, now });
  const ids = await createTickets(9);
  const [first, second] = await createTickets(2);
  await Promise.all(ids.map(requestOf));
  expect(seen.statements).toBe(2);
  await Promise.all([requestOf(first!), nextTurn().then(() => requestOf(second!))]);
  expect(seen.statements).toBe(3);
});

it('after a small batch, the next request is executed at once', async () => {
  const use = createUse();
  const seen = observed();
  const requestOf = (id: string) => use(seen.db, { id, holder: id, now });
  await Promise.all((await createTickets(4)).map(requestOf));
  const [first, second] = await createTickets(2);
  await Promise.all([requestOf(first!), nextTurn().then(() => requestOf(second!))]);
  expect(seen.statements).toBe(4);
});

import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import type { Answer, TestUser } from '../../../test/browser.ts';
import { type TestApp, useTestApp } from '../../../test/harness.ts';
import { colleague, founder } from '../../../test/team.ts';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';
import { forgetStream } from '../../domain/events/queries.ts';
import { establishStream } from '../../domain/webhooks/establish-stream.ts';
import { connectDatabase, type Db } from '../../platform/db/connect.ts';

const app: TestApp = useTestApp();

interface Row {
  readonly organization_id: string;
  readonly action?: string;
  readonly visibility?: 'full' | 'redacted' | 'hidden';
  readonly actor_id?: string;
}

async function insertRows(db: Db, rows: readonly Row[]): Promise<string[]> {
  const values = rows.map(({ organization_id, action = 'role.created', visibility = 'full', actor_id }) => ({
    event_id: uuid(),
    timestamp: app.clock.now(),
    organization_id,
    actor_id: actor_id ?? null,
    actor_type: 'user',
    action,
    resource_type: 'role',
    resource_id: 'x',
    ip_address: '192.0.2.1',
    user_agent: 'secret agent',
    request_id: uuid(),
    metadata: '{}',
    outcome: 'success',
    visibility,
  }));
  await db.insertInto('audit_events').values(values).execute();
  return values.map(({ event_id }) => event_id);
}

type Reader = Pick<Administrator, 'get'>;
const eventsOf = (user: TestUser, query = '') => user.browser.get(`/orgs/${user.organization_id}/events?${query}`);
const idsIn = (page: { items: { data: { event_id: string } }[] }) => page.items.map(({ data }) => data.event_id);

/** All pages from a cursor on; `next` is the last cursor. */
async function readAll(get: (query: string) => Promise<Answer>, from?: string, limit = 3) {
  const ids: string[] = [];
  for (let next = from; ; ) {
    const { status, json } = await get(`limit=${limit}${next ? `&after=${next}` : ''}`);
    expect(status).toBe(200);
    ids.push(...idsIn(json));
    next = json.next;
    if (json.items.length === 0) return { ids, next: next! };
  }
}

/** A running transaction anywhere in the cluster, also of other tests, can delay events for a moment. */
const eventually = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: TIMEOUT_MS, interval: 20 });

describe('GET /orgs/:org_id/events', () => {
  it('returns the events of the organization, oldest first, as the organization sees them', async () => {
    const [owner, other] = [await founder(app), await founder(app)];
    const { organization_id, user_id: actor_id } = owner;
    const [first, second] = await insertRows(app.deps.db, [
      { organization_id, actor_id },
      { organization_id, actor_id, action: 'org.suspended', visibility: 'redacted' },
      { organization_id, action: 'org.updated', visibility: 'hidden' },
      { organization_id: other.organization_id },
    ]);
    const { json } = await eventually(async () => {
      const page = await eventsOf(owner);
      expect(idsIn(page.json)).toEqual([first, second]);
      return page;
    });
    expect(json.items[0]).toEqual({
      type: 'role.created',
      timestamp: app.clock.now().toISOString(),
      data: {
        event_id: first,
        organization_id,
        actor_id,
        actor_type: 'user',
        resource_type: 'role',
        resource_id: 'x',
        outcome: 'success',
        metadata: {},
      },
    });
    expect(json.items[1].data.actor_id).toBeNull();
    expect(await eventsOf(owner, `after=${json.next}`)).toMatchObject({ status: 200, json: { items: [] } });
  });

  it('an event whose transaction commits late delays those that follow it, and none is missed or repeated', async () => {
    const owner = await founder(app);
    const { organization_id } = owner;
    const late = await app.deps.db.startTransaction().execute();
    const [first] = await insertRows(late, [{ organization_id }]);
    const [second] = await insertRows(app.deps.db, [{ organization_id }]);
    const page = (await eventsOf(owner)).json;
    expect(page.items).toEqual([]);
    await late.commit().execute();
    await eventually(async () =>
      expect((await readAll((query) => eventsOf(owner, query), page.next)).ids).toEqual([first, second]),
    );
  });

  it('`types` selects by pattern, and an empty page moves past rows that do not match', async () => {
    const owner = await founder(app);
    const { organization_id } = owner;
    const actions = ['role.created', 'member.removed', 'auth.mfa.challenge.failed', 'auth.login', 'role_x.created'];
    const ids = await insertRows(
      app.deps.db,
      actions.map((action) => ({ organization_id, action })),
    );
    await eventually(async () => expect((await eventsOf(owner)).json.items).toHaveLength(5));
    const types = async (list: string) => idsIn((await eventsOf(owner, `types=${list}`)).json);
    expect(await types('member.removed')).toEqual([ids[1]]);
    expect(await types('auth.*,role.created')).toEqual([ids[0], ids[2], ids[3]]);
    expect(await types('auth.mfa.*')).toEqual([ids[2]]);
    expect(await types('*')).toEqual(ids);
    const none = await eventsOf(owner, 'types=Auth.*');
    expect(none.json.items).toEqual([]);
    expect((await eventsOf(owner, `after=${none.json.next}`)).json.items).toEqual([]);
    const first = await eventsOf(owner, 'types=auth.*&limit=1');
    expect((await eventsOf(owner, `after=${first.json.next}`)).json.items).toHaveLength(2);
  });

  it('clamps `limit`, and 400 for a malformed limit, types or cursor', async () => {
    const owner = await founder(app);
    await insertRows(app.deps.db, Array(3).fill({ organization_id: owner.organization_id }));
    await eventually(async () => expect((await eventsOf(owner, 'limit=5000')).json.items).toHaveLength(3));
    for (const limit of ['0', '-7', '1']) expect((await eventsOf(owner, `limit=${limit}`)).json.items).toHaveLength(1);
    expect((await eventsOf(owner, `types=${Array(100).fill('a.*').join(',')}`)).status).toBe(200);
    const bad = [
      'limit=1.5',
      'limit=x',
      'limit=',
      'types=',
      'types=a,',
      'types=member*',
      'types=*.x',
      `types=${Array(101).fill('a.*').join(',')}`,
      'after=',
      'after=x',
    ];
    for (const query of bad) {
      const { status, json } = await eventsOf(owner, query);
      expect([query, status, json.error?.code]).toEqual([query, 400, 'invalid_input']);
      expect(json.error.message).toContain(query.split('=')[0]);
    }
  });

  it('400 for a cursor of another stream or an altered one', async () => {
    const [owner, other] = [await founder(app), await founder(app)];
    const viewer = await insertAdministrator(app, 'viewer');
    const { next } = (await eventsOf(owner)).json;
    const platform = (await viewer.get('/admin/events')).json.next;
    expect((await eventsOf(other, `after=${next}`)).status).toBe(400);
    expect((await eventsOf(owner, `after=${platform}`)).status).toBe(400);
    expect((await viewer.get(`/admin/events?after=${next}`)).status).toBe(400);
    expect((await eventsOf(await colleague(app, owner, 'admin'), `after=${next}`)).status).toBe(200);
    for (let at = 0; at < next.length; at++) {
      const letter = next[at] === 'A' ? 'B' : 'A';
      const altered = next.slice(0, at) + letter + next.slice(at + 1);
      expect((await eventsOf(owner, `after=${altered}`)).status, altered).toBe(400);
    }
    for (const altered of [`${next}A`, next.slice(1), `${next}=`, next.slice(0, -4)]) {
      expect((await eventsOf(owner, `after=${altered}`)).status, altered).toBe(400);
    }
  });
});

describe('GET /admin/events', () => {
  it('returns each row of all organizations once and in the same order to every reader, in whatever order transactions commit', async () => {
    const viewer: Reader = await insertAdministrator(app, 'viewer');
    const organization_id = (await founder(app)).organization_id;
    const get = (query: string) => viewer.get(`/admin/events?${query}`);
    const writers = connectDatabase({ address: app.database.address, poolSize: 20, onIdleError: () => {} });
    /** One of 20 writers begins, writes, commits or rolls back, or one of two readers reads a page. */
    const write = fc.record({ writer: fc.nat(19), choice: fc.nat(9), rows: fc.integer({ min: 1, max: 4 }) });
    const read = fc.record({ reader: fc.nat(1), limit: fc.integer({ min: 1, max: 5 }) });
    const step = fc.oneof({ weight: 4, arbitrary: write }, { weight: 1, arbitrary: read });
    const begin = () => writers.db.startTransaction().execute();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 120 }), async (steps) => {
        const start = (await readAll(get, undefined, 1000)).next;
        const open = new Map<number, { tx: Awaited<ReturnType<typeof begin>>; ids: string[] }>();
        const readers = [0, 1].map(() => ({ ids: [] as string[], next: start }));
        const committed: string[] = [];
        for (const taken of steps) {
          if ('reader' in taken) {
            const reader = readers[taken.reader]!;
            const { json } = await get(`limit=${taken.limit}&after=${reader.next}`);
            reader.ids.push(...idsIn(json));
            reader.next = json.next;
            continue;
          }
          const { writer, choice } = taken;
          const current = open.get(writer) ?? { tx: await begin(), ids: [] };
          if (!open.has(writer) || choice < 4) {
            open.set(writer, current);
            current.ids.push(...(await insertRows(current.tx, Array(taken.rows).fill({ organization_id }))));
            continue;
          }
          open.delete(writer);
          if (choice === 9) await current.tx.rollback().execute();
          else {
            await current.tx.commit().execute();
            committed.push(...current.ids);
          }
        }
        for (const { tx, ids } of open.values()) {
          await tx.commit().execute();
          committed.push(...ids);
        }
        await eventually(async () => {
          for (const reader of readers) {
            const { ids, next } = await readAll(get, reader.next);
            reader.ids.push(...ids);
            reader.next = next;
          }
          const mine = new Set(committed);
          const [first, second] = readers.map(({ ids }) => ids.filter((id) => mine.has(id)));
          expect(first).toHaveLength(committed.length);
          expect(new Set(first)).toEqual(mine);
          expect(second).toEqual(first);
        });
      }),
      { numRuns: 2 },
    );
    await writers.close();
  });

  it('after a restore old rows are returned first, by id; new rows do not wait for them; cursors from before the restore are 400', async () => {
    const viewer: Reader = await insertAdministrator(app, 'viewer');
    const get = (query: string) => viewer.get(`/admin/events?${query}`);
    const organization_id = (await founder(app)).organization_id;
    const { next } = await readAll(get, undefined, 1000);
    // The row gets a transaction id of another cluster whose counter is far ahead.
    const [old] = await insertRows(app.deps.db, [{ organization_id }]);
    await sql`alter table audit_events disable trigger audit_events_append_only`.execute(app.deps.db);
    await sql`update audit_events set xid = '90000000000' where event_id = ${old}`.execute(app.deps.db);
    await sql`alter table audit_events enable trigger audit_events_append_only`.execute(app.deps.db);
    await app.deps.db.transaction().execute(forgetStream);
    await establishStream(app.deps.db, app.clock.now());
    expect((await get(`after=${next}`)).status).toBe(400);
    const [fresh] = await insertRows(app.deps.db, [{ organization_id }]);
    await eventually(async () => expect((await readAll(get)).ids.slice(-2)).toEqual([old, fresh]));
    const { rows } = await sql<{ event_id: string }>`select event_id from audit_events order by id`.execute(
      app.deps.db,
    );
    expect((await readAll(get, undefined, 7)).ids).toEqual(rows.map(({ event_id }) => event_id));
  });
});

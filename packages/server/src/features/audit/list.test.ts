import { randomUUID } from 'node:crypto';
import type { AuditRow } from '@gatehouse/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { bearer, createBrowser, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { countAll, insertEvents } from '../../domain/audit/counts/trail-fixture.ts';
import { createReader, FIELDS, type Reader } from './audit-fixture.ts';

const app = useTestApp();
let viewer: Reader;
beforeAll(async () => {
  viewer = await createReader(app, 'viewer');
});

const ids = (items: AuditRow[]) => items.map(({ id }) => id);
const own = () => `test.${randomUUID()}`;

describe('§4.10 GET /audit-logs', () => {
  it('a row has the fields of §2.3, in that order, with metadata as written', async () => {
    const user = await registerUser(app, { organization_name: 'Rows' });
    await createBrowser(app).post('/auth/login', { email: user.email, password: 'wrong' });
    const { items } = (await viewer.list({ action: 'auth.login' })).json;
    expect(Object.keys(items[0])).toEqual(FIELDS);
    expect(items[0]).toMatchObject({
      actor_type: expect.any(String),
      action: 'auth.login',
      metadata: { method: 'password', reason: 'credentials' },
      outcome: 'failure',
      timestamp: app.clock.now().toISOString(),
    });
    expect(Number.isInteger(items[0].id)).toBe(true);
  });

  it('rows are sorted by id, newest first, whatever their timestamps', async () => {
    const action = own();
    const times = ['2029-05-01T10:00:00Z', '2029-05-03T10:00:00Z', '2029-05-02T10:00:00Z'];
    await insertEvents(
      app.deps.db,
      times.map((timestamp) => ({ timestamp, action })),
    );
    const { items, total } = (await viewer.list({ action })).json;
    expect(total).toBe(3);
    expect(items.map(({ timestamp }: AuditRow) => timestamp.slice(0, 10))).toEqual([
      '2029-05-02',
      '2029-05-03',
      '2029-05-01',
    ]);
  });

  it('page_size defaults to 25 and is 1 to 100; a page past the end is empty and has the same total', async () => {
    const action = own();
    await insertEvents(app.deps.db, Array(230).fill({ timestamp: '2029-06-01T10:30:00Z', action }));
    const all: number[] = [];
    for (let page = 1; page <= 3; page++)
      all.push(...ids((await viewer.list({ action, page, page_size: 100 })).json.items));
    expect(all).toHaveLength(230);
    expect(all).toEqual([...all].sort((left, right) => right - left));
    expect((await viewer.list({ action })).json).toMatchObject({ total: 230, page: 1, page_size: 25 });
    expect(ids((await viewer.list({ action, page: 2 })).json.items)).toEqual(all.slice(25, 50));
    expect((await viewer.list({ action, page: -3, page_size: 1000 })).json).toMatchObject({ page: 1, page_size: 100 });
    expect((await viewer.list({ action, page_size: 0 })).json).toMatchObject({ page_size: 1, total: 230 });
    expect((await viewer.list({ action, page: 11 })).json).toEqual({ items: [], total: 230, page: 11, page_size: 25 });
    await countAll(app.deps.db);
    expect((await viewer.list({ action, page: 11 })).json).toEqual({ items: [], total: 230, page: 11, page_size: 25 });
  });

  it('user_id filters by actor', async () => {
    const [actor_id, other] = [randomUUID(), randomUUID()];
    const action = own();
    await insertEvents(app.deps.db, [
      { timestamp: '2029-07-01T10:00:00Z', actor_id, action },
      { timestamp: '2029-07-01T11:00:00Z', actor_id: other, action },
      { timestamp: '2029-07-01T12:00:00Z', actor_id: null, action },
      { timestamp: '2029-07-01T12:00:00Z', actor_id },
    ]);
    expect((await viewer.list({ user_id: actor_id })).json.total).toBe(2);
    expect((await viewer.list({ user_id: actor_id.toUpperCase(), action })).json).toMatchObject({
      total: 1,
      items: [{ actor_id, action }],
    });
    expect((await viewer.list({ user_id: actor_id, from: '2029-07-01T11:30:00Z' })).json.total).toBe(1);
    expect((await viewer.list({ user_id: randomUUID() })).json).toMatchObject({ items: [], total: 0 });
  });

  describe('organization_id, outcome, resource_type and resource_id', () => {
    const [tenant, other] = [randomUUID(), randomUUID()];
    const about = randomUUID();
    const action = own();
    beforeAll(async () => {
      const row = { timestamp: '2029-07-02T10:30:00Z', action } as const;
      await insertEvents(app.deps.db, [
        { ...row, organization_id: tenant, resource_type: 'user', resource_id: about },
        { ...row, organization_id: tenant, resource_type: 'user', resource_id: about, outcome: 'failure' },
        { ...row, organization_id: tenant, resource_type: 'session', resource_id: about },
        { ...row, organization_id: other, resource_type: 'user', resource_id: 'x', outcome: 'failure' },
        { ...row, organization_id: other, resource_type: 'user', resource_id: 'X', timestamp: '2029-07-02T13:30:00Z' },
      ]);
    });

    it.each([
      [{ organization_id: tenant }, 3],
      [{ organization_id: tenant.toUpperCase() }, 3],
      [{ organization_id: other, outcome: 'failure' }, 1],
      [{ organization_id: randomUUID() }, 0],
      [{ resource_id: about }, 3],
      [{ resource_id: about, resource_type: 'user' }, 2],
      [{ resource_id: about, resource_type: 'user', outcome: 'success' }, 1],
      [{ resource_id: about.toUpperCase() }, 0],
      [{ action, outcome: 'success' }, 3],
      [{ action, outcome: 'failure' }, 2],
      [{ action, outcome: 'Success' }, 0],
      [{ action, outcome: 'fail' }, 0],
      [{ action, resource_type: 'user' }, 4],
      [{ action, resource_type: 'use%' }, 0],
      [{ action, resource_id: 'x' }, 1],
      [{ action, outcome: 'success', from: '2029-07-02T13:00:00Z' }, 1],
      [{ action, outcome: 'failure', to: '2029-07-02T12:00:00Z' }, 2],
      [{ action, outcome: 'success', from: '2029-07-02T10:00:00Z', to: '2029-07-02T10:30:00Z' }, 2],
      [{ organization_id: tenant, from: '2029-07-02T10:31:00Z' }, 0],
      [{ organization_id: tenant, user_id: randomUUID() }, 0],
    ])('%o matches exactly, before and after the rows are counted', async (query, expected) => {
      for (const count of [async () => {}, () => countAll(app.deps.db)]) {
        await count();
        const { status, json } = await viewer.list(query as Record<string, string>);
        expect([status, json.total, json.items.length]).toEqual([200, expected, expected]);
      }
    });

    it.each([
      ['organization_id', 'nonsense'],
      ['outcome', ''],
      ['resource_type', 'a\u0000b'],
      ['resource_id', 'x'.repeat(301)],
    ])('400 for %s=%j', async (field, value) => {
      const answer = await viewer.list({ [field]: value });
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toMatch(new RegExp(`^${field}: `));
    });
  });

  it('action matches exactly; an unknown action yields an empty list', async () => {
    await insertEvents(app.deps.db, [{ timestamp: '2029-08-01T10:00:00Z', action: 'own.action' }]);
    expect((await viewer.list({ action: 'own.action' })).json.total).toBe(1);
    for (const action of [
      'own',
      'own.actio',
      'own.act%',
      'OWN.ACTION',
      'own.action ',
      "' or true --",
      'größe',
      'x'.repeat(100),
    ]) {
      const answer = await viewer.list({ action });
      expect(answer.status, action).toBe(200);
      expect(answer.json, action).toMatchObject({ items: [], total: 0 });
    }
  });

  it('from and to are inclusive, with any UTC offset', async () => {
    const action = own();
    const at = (time: string) => ({ timestamp: `2029-09-10T${time}Z`, action });
    await insertEvents(app.deps.db, [at('09:59:59.999'), at('10:00:00.000'), at('10:30:00.000'), at('11:00:00.000')]);
    for (const counted of [false, true]) {
      if (counted) await countAll(app.deps.db);
      const total = async (query: object) => (await viewer.list({ action, ...query })).json.total;
      expect(await total({ from: '2029-09-10T10:00:00Z' })).toBe(3);
      expect(await total({ to: '2029-09-10T10:00:00Z' })).toBe(2);
      expect(await total({ from: '2029-09-10T12:00:00+02:00', to: '2029-09-10T13:00:00+02:00' })).toBe(3);
      expect(await total({ from: '2029-09-10T04:30:00-05:30', to: '2029-09-10t10:30:00.000z' })).toBe(2);
      expect(await total({ from: '2029-09-10T10:30:00Z', to: '2029-09-10T10:30:00Z' })).toBe(1);
      expect(await total({ from: '2029-09-10T10:30:00.0005Z', to: '2029-09-10T10:59:59.999999Z' })).toBe(0);
      expect(await total({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59-10:00' })).toBe(4);
    }
  });

  it('from after to yields an empty list', async () => {
    const answer = await viewer.list({ from: '2030-01-02T00:00:00Z', to: '2030-01-01T00:00:00Z', page_size: 7 });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ items: [], total: 0, page: 1, page_size: 7 });
  });

  it('the total no longer counts an archived month', async () => {
    const action = own();
    await sql`select ensure_audit_month('2027-02-10T00:00:00Z'::timestamptz)`.execute(app.deps.db);
    await insertEvents(app.deps.db, [
      { timestamp: '2027-01-31T23:59:59.999Z', action },
      { timestamp: '2027-02-01T00:00:00.000Z', action },
      { timestamp: '2027-02-28T23:59:59.999Z', action },
    ]);
    await expect
      .poll(async () => {
        await countAll(app.deps.db);
        const { rows } = await sql`select from audit_hours where action = ${action}`.execute(app.deps.db);
        return rows.length;
      })
      .toBe(3);
    await app.deps.db.transaction().execute(async (tx) => {
      await sql`alter table audit_events detach partition audit_events_202702`.execute(tx);
      await sql`delete from audit_hours where hour >= '2027-02-01Z' and hour < '2027-03-01Z'`.execute(tx);
    });
    const { items, total } = (await viewer.list({ action })).json;
    expect({ total, rows: items.length }).toEqual({ total: 1, rows: 1 });
  });
});

describe('§4.10 access and validation of the list', () => {
  it('401 without a credential, 403 without a platform role', async () => {
    expect((await createBrowser(app).get('/audit-logs')).status).toBe(401);
    const nobody = await createReader(app, null);
    const refused = await nobody.list({ from: 'nonsense' });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('forbidden');
  });

  it.each(['viewer', 'admin', 'owner'] as const)('platform %s can list', async (role) => {
    expect((await (await createReader(app, role)).list()).status).toBe(200);
  });

  it.each([
    ['from', 'yesterday'],
    ['from', '2030-01-01'],
    ['from', '2030-01-01T00:00:00'],
    ['from', '2030-02-30T00:00:00Z'],
    ['from', '2030-01-01T24:00:00Z'],
    ['to', '2030-13-01T00:00:00Z'],
    ['to', '2030-01-01T00:00:60Z'],
    ['to', '1893456000'],
    ['to', ''],
    ['user_id', 'me'],
    ['action', ''],
    ['action', 'x'.repeat(101)],
    ['action', 'auth\u0000login'],
    ['page', 'one'],
    ['page', '1.5'],
    ['page_size', '1e2'],
  ])('400 for %s=%s, naming the field', async (field, value) => {
    const answer = await viewer.list({ [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toBe('invalid_input');
    expect(answer.json.error.message).toMatch(new RegExp(`^${field}: `));
  });

  it('400 for a repeated field', async () => {
    const path = '/audit-logs?from=2030-01-01T00:00:00Z&from=2030-01-02T00:00:00Z';
    const answer = await createBrowser(app).get(path, bearer(viewer.access_token));
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toMatch(/^from: /);
  });
});

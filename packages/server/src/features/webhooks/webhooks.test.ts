import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import type { TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf, setAuthTime } from '../../../test/records.ts';
import { colleague, founder } from '../../../test/team.ts';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';
import { attemptDelivery } from '../../domain/webhooks/attempt.ts';
import { after } from '../../platform/clock.ts';
import { insertKey, sendAs } from '../machines/machines-fixture.ts';
import { type Receiver, startReceiver } from './receiver-fixture.ts';
import { checkedUrl } from './url.ts';

let app: TestApp;
let receiver: Receiver;
let owner: TestUser;
beforeAll(async () => {
  [app, receiver] = await Promise.all([
    startTestApp({ environment: { LIMIT_WEBHOOK_SENDS: '5/10m' } }),
    startReceiver(),
  ]);
});
afterAll(() => Promise.all([app.close(), receiver.close()]));
beforeEach(async () => {
  owner = await founder(app);
  receiver.answer = 200;
});

const base = (user = owner) => `/orgs/${user.organization_id}/webhooks`;
/** Each test has its own organization and path. */
const url = () => `${receiver.url}/${owner.organization_id}`;
const received = () => receiver.received.filter(({ path }) => path.endsWith(owner.organization_id));
const create = (body: object = {}) => owner.browser.post(base(), { url: url(), ...body });
const patch = (id: string, body: object) => owner.browser.patch(`${base()}/${id}`, body);
const deliveries = async (id: string, query = '') =>
  (await owner.browser.get(`${base()}/${id}/deliveries${query}`)).json;
const act = async (name = 'Accountant') => {
  const { status, json } = await owner.browser.post(`/orgs/${owner.organization_id}/roles`, { name });
  expect(status).toBe(201);
  return json.id as string;
};
const soon = { timeout: TIMEOUT_MS };
const untilReceived = (...types: string[]) =>
  expect.poll(() => received().map(({ event }) => event.type), soon).toEqual(types);
const untilDelivered = (id: string, count: number) =>
  expect.poll(async () => (await deliveries(id, '?status=delivered')).total, soon).toBe(count);

describe('webhooks of an organization', () => {
  it('are created with a secret that is shown once, listed, read, changed and deleted', async () => {
    const created = await create({ description: ' Billing ', events: ['member.*', 'role.created'] });
    expect(created.status).toBe(201);
    const { secret, ...webhook } = created.json;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: expect.any(String),
      url: url(),
      description: 'Billing',
      events: ['member.*', 'role.created'],
      enabled: true,
      created_at: app.clock.now().toISOString(),
      disabled_reason: null,
      last_delivery: null,
    });
    expect((await owner.browser.get(base())).json).toEqual({ items: [webhook] });
    expect((await owner.browser.get(`${base()}/${webhook.id.toUpperCase()}`)).json).toEqual(webhook);
    const changed = await patch(webhook.id, { description: 'Ledger' });
    expect(changed.json).toEqual({ ...webhook, description: 'Ledger' });
    expect((await patch(webhook.id, {})).json).toEqual(changed.json);
    for (const _time of ['first', 'again']) {
      expect((await owner.browser.delete(`${base()}/${webhook.id}`)).status).toBe(204);
    }
    expect((await owner.browser.get(base())).json).toEqual({ items: [] });
    expect((await owner.browser.get(`${base()}/${webhook.id}`)).status).toBe(404);
    expect((await patch(webhook.id, { description: 'x' })).status).toBe(404);
    const trail = await auditOf(app, { resource_id: webhook.id });
    expect(trail.map(({ action, metadata }) => [action, metadata])).toEqual([
      ['webhook.created', { scope: 'organization', events: ['member.*', 'role.created'] }],
      ['webhook.updated', { scope: 'organization', fields: ['description'] }],
      ['webhook.deleted', { scope: 'organization' }],
    ]);
    expect(JSON.stringify(trail)).not.toContain(secret.slice(6));
  });

  it('have defaults for description and events', async () => {
    expect((await create()).json).toMatchObject({ description: '', events: ['*'], enabled: true });
  });

  it.each([
    [{ url: undefined }, 'url'],
    [{ url: 'example.com/hook' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'https://user:secret@example.com/' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['member'] }, 'events'],
    [{ events: ['member*'] }, 'events'],
    [{ events: ['*.removed'] }, 'events'],
    [{ events: ['member.**'] }, 'events'],
    [{ events: ['member..x'] }, 'events'],
    [{ events: [''] }, 'events'],
    [{ events: 'member.*' }, 'events'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ description: 'x'.repeat(501) }, 'description'],
  ])('400 for %j, naming the field %s', async (body, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining(field) });
    expect((await owner.browser.get(base())).json.items).toEqual([]);
  });

  it.each([
    ['test', 'http://localhost:1/', true],
    ['production', 'http://example.com/', false],
    ['production', 'https://example.com/', true],
  ] as const)('in %s, the URL %s is accepted: %s', (NODE_ENV, given, isAccepted) => {
    const check = () => checkedUrl({ config: { ...app.deps.config, NODE_ENV, PRIVATE_NETWORKS: 'allow' } }, given);
    if (isAccepted) expect(check()).toBe(given);
    else expect(check).toThrow('url: must begin with https://');
  });

  it.each([
    [['webhooks.manage', 'audit.read'], 200],
    [['webhooks.manage'], 403],
    [['audit.read'], 403],
  ] as const)('a service account with the permissions %j gets %i', async (permissions, status) => {
    const place = { organization_id: owner.organization_id, created_by: owner.user_id };
    const { key } = await insertKey(app, { ...place, permissions: [...permissions], scopes: null });
    expect((await sendAs(app, key, 'GET', base())).status).toBe(status);
  });

  it('409 for the eleventh webhook, also with concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    const [first] = (await owner.browser.get(base())).json.items;
    await owner.browser.delete(`${base()}/${first.id}`);
    expect((await create()).status).toBe(201);
  });

  it('401 mfa_required to create or rotate without fresh authentication; other requests do not need it', async () => {
    const { id } = (await create()).json;
    await setAuthTime(app, owner.session_id, after(app.clock.now(), -3600));
    await app.deps.sessions.reload(owner.session_id);
    expect((await create()).json.error.code).toBe('mfa_required');
    expect((await owner.browser.post(`${base()}/${id}/rotate-secret`)).json.error.code).toBe('mfa_required');
    expect((await patch(id, { description: 'x' })).status).toBe(200);
    expect((await owner.browser.post(`${base()}/${id}/test`)).status).toBe(202);
  });

  it('403 for members, and 404 for the webhooks of another organization and of the platform', async () => {
    const { id } = (await create()).json;
    const member = await colleague(app, owner);
    expect((await member.browser.get(base())).status).toBe(403);
    const other = await founder(app);
    for (const path of [`${base(other)}/${id}`, `${base(other)}/${uuid()}`]) {
      expect((await other.browser.get(path)).status).toBe(404);
      expect((await other.browser.patch(path, { description: 'x' })).status).toBe(404);
      expect((await other.browser.delete(path)).status).toBe(404);
      expect((await other.browser.post(`${path}/test`)).status).toBe(404);
      expect((await other.browser.post(`${path}/rotate-secret`)).status).toBe(404);
      expect((await other.browser.get(`${path}/deliveries`)).status).toBe(404);
      expect((await other.browser.post(`${path}/deliveries/${uuid()}/retry`)).status).toBe(404);
    }
  });
});

/** The signature that Standard Webhooks 1.0 specifies. */
const signature = (secret: string, { headers, body }: Receiver['received'][number]) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64')}`;

describe('deliveries', () => {
  it('an event is sent once, signed, without address and user agent of the request, and listed', async () => {
    const { id, secret } = (await create({ events: ['role.*'] })).json;
    const role = await act();
    await untilReceived('role.created');
    const [request] = received();
    const [row] = await auditOf(app, { resource_id: role });
    expect(request!.event).toEqual({
      type: 'role.created',
      timestamp: row!.timestamp.toISOString(),
      data: {
        event_id: row!.event_id,
        organization_id: owner.organization_id,
        actor_id: owner.user_id,
        actor_type: 'user',
        resource_type: 'role',
        resource_id: role,
        outcome: 'success',
        metadata: row!.metadata,
      },
    });
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': row!.event_id,
      'webhook-timestamp': String(Math.floor(app.clock.now().getTime() / 1000)),
      'webhook-signature': signature(secret, request!),
    });
    await untilDelivered(id, 1);
    const page = await deliveries(id);
    const at = app.clock.now().toISOString();
    expect(page).toEqual({
      items: [
        {
          id: expect.any(String),
          event_id: row!.event_id,
          type: 'role.created',
          status: 'delivered',
          attempts: 1,
          last_status: 200,
          last_error: null,
          next_attempt_at: null,
          created_at: at,
          delivered_at: at,
        },
      ],
      total: 1,
      page: 1,
      page_size: 25,
    });
    expect((await deliveries(id, '?status=pending')).total).toBe(0);
    expect((await owner.browser.get(`${base()}/${id}/deliveries?status=done`)).status).toBe(400);
    expect((await owner.browser.get(`${base()}/${id}`)).json.last_delivery).toEqual({
      status: 'delivered',
      last_status: 200,
      at,
    });
  });

  it('a webhook receives webhook.created for another webhook, but not for itself', async () => {
    await create();
    const second = (await create({ events: ['none.*'] })).json;
    await untilReceived('webhook.created');
    expect(received()[0]!.event.data.resource_id).toBe(second.id);
  });

  it('patterns match the whole action or a prefix at any depth, and are case-sensitive', async () => {
    const depth = (await create({ events: ['auth.*', 'role.created.*', 'Role.created', 'rol.*'] })).json;
    await act();
    await create({ events: ['role.created', 'unknown.action'] });
    await act('Auditor');
    await untilReceived('role.created');
    expect((await deliveries(depth.id)).total).toBe(0);
  });

  it('for 24 hours after a rotation both secrets sign each delivery, and never more than two', async () => {
    const { id, secret: first } = (await create({ events: ['role.*'] })).json;
    const rotate = async () => {
      const { status, json } = await owner.browser.post(`${base()}/${id}/rotate-secret`);
      expect(status).toBe(200);
      return json.secret as string;
    };
    /** Which secrets have signed a test event, in the order of the signatures. */
    const signers = async (user = owner) => {
      const count = received().length;
      await user.browser.post(`${base()}/${id}/test`);
      await expect.poll(() => received().length, soon).toBe(count + 1);
      const request = received().at(-1)!;
      return String(request.headers['webhook-signature'])
        .split(' ')
        .map((text) => secrets.findIndex((secret) => signature(secret, request) === text));
    };
    const secrets = [first];
    expect(await signers()).toEqual([0]);
    secrets.push(await rotate());
    expect(await signers()).toEqual([1, 0]);
    secrets.push(await rotate());
    expect(await signers()).toEqual([2, 1]);
    app.clock.advance(24 * 3600);
    expect(await signers(await colleague(app, owner, 'owner'))).toEqual([2]);
    expect(await auditOf(app, { resource_id: id, action: ['webhook.secret_rotated'] })).toHaveLength(2);
    const rows = await app.deps.db.selectFrom('webhook_secrets').selectAll().where('webhook_id', '=', id).execute();
    expect(JSON.stringify(rows)).not.toContain(secrets.at(-1)!.slice('whsec_'.length));
  });

  it('a test event is sent whatever the patterns are, writes no audit row, and is 409 while the webhook is disabled', async () => {
    const { id } = (await create({ events: ['none.*'] })).json;
    const streamed = async () =>
      (await owner.browser.get(`/orgs/${owner.organization_id}/events`)).json.items.map(
        ({ type }: { type: string }) => type,
      );
    const answer = await owner.browser.post(`${base()}/${id}/test`);
    expect(answer).toMatchObject({ status: 202, json: { type: 'webhook.test', status: 'pending', attempts: 0 } });
    await untilReceived('webhook.test');
    expect(received()[0]!.event.data).toMatchObject({
      event_id: answer.json.event_id,
      organization_id: owner.organization_id,
      resource_type: 'webhook',
      resource_id: id,
    });
    expect((await auditOf(app, { resource_id: id })).map(({ action }) => action)).toEqual(['webhook.created']);
    await expect.poll(streamed, soon).toContain('webhook.created');
    expect(await streamed()).not.toContain('webhook.test');
    await patch(id, { enabled: false });
    expect((await owner.browser.post(`${base()}/${id}/test`)).status).toBe(409);
  });

  it.each([
    ['https_required', { NODE_ENV: 'production' }, {}],
    ['address_not_public', { PRIVATE_NETWORKS: 'refuse' }, {}],
    ['event_archived', {}, { audit_id: 1e15 }],
    ['secret_unreadable', {}, { webhook_id: uuid() }],
    ['status', {}, { url: '/503' }],
    ['redirect', {}, { url: '/307' }],
    [null, {}, { url: '/204' }],
  ] as const)(
    'an attempt has the result %j with the settings %j for the delivery %j',
    async (error, settings, given) => {
      const { id } = (await create({ events: ['none.*'] })).json;
      receiver.answer = (response) => response.writeHead(Number(response.req.url!.slice(-3))).end();
      const delivery = {
        id: uuid(),
        webhook_id: id,
        event_id: uuid(),
        audit_id: null,
        event_at: app.clock.now(),
        type: 'webhook.test',
        created_at: app.clock.now(),
        attempts: 1,
        organization_id: owner.organization_id,
        failing: false,
        ...given,
        url: receiver.url + ('url' in given ? given.url : '/204'),
      };
      const before = receiver.received.length;
      const config = { ...app.deps.config, ...settings };
      expect((await attemptDelivery({ ...app.deps, config }, delivery)).error).toBe(error);
      expect(receiver.received).toHaveLength(before + ('url' in given ? 1 : 0));
    },
  );

  it('are listed newest first, in pages', async () => {
    const { id } = (await create({ events: ['none.*'] })).json;
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      ids.unshift((await owner.browser.post(`${base()}/${id}/test`)).json.id);
      app.clock.advance(1);
    }
    const page = async (number: number) => {
      const { items, ...rest } = await deliveries(id, `?page=${number}&page_size=2`);
      return { ids: items.map((item: { id: string }) => item.id), ...rest };
    };
    expect(await page(1)).toEqual({ ids: ids.slice(0, 2), total: 3, page: 1, page_size: 2 });
    expect(await page(2)).toEqual({ ids: ids.slice(2), total: 3, page: 2, page_size: 2 });
  });

  it('a retry sends a delivered event again; while the webhook is disabled it is 409, and 404 for an unknown delivery', async () => {
    const { id } = (await create({ events: ['role.*'] })).json;
    await act();
    await untilDelivered(id, 1);
    const [first] = (await deliveries(id)).items;
    const retry = () => owner.browser.post(`${base()}/${id}/deliveries/${first.id}/retry`);
    expect(await retry()).toMatchObject({ status: 202, json: { id: first.id, status: 'pending' } });
    await untilReceived('role.created', 'role.created');
    await untilDelivered(id, 1);
    expect((await deliveries(id)).items).toMatchObject([{ id: first.id, attempts: 2, status: 'delivered' }]);
    await patch(id, { enabled: false });
    expect((await retry()).status).toBe(409);
    expect((await owner.browser.post(`${base()}/${id}/deliveries/${uuid()}/retry`)).status).toBe(404);
  });

  it('pending deliveries of a deleted webhook fail, at once or by the sweeper, and are not claimed', async () => {
    const { id } = (await create({ events: ['none.*'] })).json;
    const { db } = app.deps;
    const insertPending = (count: number) =>
      sql`insert into webhook_deliveries (id, webhook_id, event_id, event_at, type, next_attempt_at, created_at)
        select gen_random_uuid(), ${id}::uuid, gen_random_uuid(), now(), 'x.y', 'infinity', ${app.clock.now()}
        from generate_series(1, ${count}::int)`.execute(db);
    // Deliveries of other tests may still be pending.
    const pending = async () => {
      const rows = db.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', id);
      return (await rows.where('status', '=', 'pending').execute()).length;
    };
    await insertPending(1_005);
    expect((await owner.browser.delete(`${base()}/${id}`)).status).toBe(204);
    expect(await pending()).toBe(5);
    await app.sweeper.pass();
    expect(await pending()).toBe(0);
  });

  it('429 above the limit of test events and retries of a webhook, counted together', async () => {
    const [{ json: first }, { json: other }] = [await create({ events: ['none.*'] }), await create()];
    const path = `${base()}/${first.id}`;
    const { json: delivery } = await owner.browser.post(`${path}/test`);
    const { count } = app.deps.config.LIMIT_WEBHOOK_SENDS;
    for (let sent = 1; sent < count; sent++) {
      expect((await owner.browser.post(`${path}/deliveries/${delivery.id}/retry`)).status).toBe(202);
    }
    for (const send of ['test', `deliveries/${delivery.id}/retry`]) {
      const answer = await owner.browser.post(`${path}/${send}`);
      expect(answer).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
    }
    expect((await deliveries(first.id)).total).toBe(1);
    expect((await owner.browser.post(`${base()}/${other.id}/test`)).status).toBe(202);
    app.clock.advance(600);
    expect((await owner.browser.post(`${path}/test`)).status).toBe(202);
  });

  it('a disabled webhook collects no events; earlier deliveries wait and are sent when it is enabled', async () => {
    receiver.answer = 500;
    const { id } = (await create({ events: ['role.*'] })).json;
    await act('Before');
    await patch(id, { enabled: false });
    await act('Meanwhile');
    const enabled = await patch(id, { enabled: true });
    expect(enabled.json).toMatchObject({ enabled: true, disabled_reason: null });
    receiver.answer = 200;
    await act('After');
    await expect.poll(async () => (await deliveries(id)).total, soon).toBe(2);
    app.clock.advance(6);
    app.deps.webhooks.wake();
    await untilDelivered(id, 2);
  });
});

describe('webhooks of the platform', () => {
  it('get every event of every organization, and need a platform admin and step-up to write', async () => {
    const admin = await insertAdministrator(app, 'admin', app.clock.now());
    const viewer = await insertAdministrator(app, 'viewer', app.clock.now());
    const stale = await insertAdministrator(app, 'admin');
    expect((await viewer.get('/admin/webhooks')).status).toBe(403);
    expect((await stale.get('/admin/webhooks')).status).toBe(200);
    const body = { url: url(), events: ['role.*'] };
    expect((await stale.post('/admin/webhooks', body)).json.error.code).toBe('mfa_required');
    const created = await admin.post('/admin/webhooks', body);
    expect(created.status).toBe(201);
    const path = `/admin/webhooks/${created.json.id}`;
    await act();
    await untilReceived('role.created');
    expect(received()[0]!.event.data.organization_id).toBe(owner.organization_id);
    expect((await owner.browser.get(base())).json.items).toEqual([]);
    const own = (await create({ events: ['none.*'] })).json;
    expect((await admin.get(`/admin/webhooks/${own.id}`)).status).toBe(404);
    expect((await admin.get('/admin/webhooks')).json.items).toHaveLength(1);
    for (const send of [() => stale.post(`${path}/test`), () => stale.patch(path, {}), () => stale.delete(path)]) {
      expect((await send()).json.error.code).toBe('mfa_required');
    }
    expect((await admin.post(`${path}/test`)).status).toBe(202);
    for (let count = 1; count < 10; count++) expect((await admin.post('/admin/webhooks', body)).status).toBe(201);
    expect((await admin.post('/admin/webhooks', body)).status).toBe(409);
    for (const { id } of (await admin.get('/admin/webhooks')).json.items) {
      expect((await admin.delete(`/admin/webhooks/${id}`)).status).toBe(204);
    }
  });
});

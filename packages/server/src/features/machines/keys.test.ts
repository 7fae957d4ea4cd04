import type { RevocationFeed } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimsOf, createBrowser } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, revocationsOf } from '../../../test/records.ts';
import { founder } from '../../../test/team.ts';
import { after } from '../../platform/clock.ts';
import { createRole, declare } from '../roles/roles-fixture.ts';
import { accountsPath, createAccount, createApiKey, exchange, machine, sendAs } from './machines-fixture.ts';

const app = useTestApp();
beforeAll(() => declare(app, 'invoices.read'));

const session = (token: string, headers: Record<string, string> = {}) =>
  sendAs(app, token, 'GET', '/auth/session', { headers });

describe('API keys', () => {
  it('are shown once, listed without the secret part, and revoked', async () => {
    const owner = await founder(app);
    const account = await createAccount(owner);
    const expires_at = after(app.clock.now(), 3600).toISOString();
    const settings = {
      name: ' Production ',
      scopes: ['org.read', 'members.list', 'org.read'],
      expires_at,
      allowed_ips: ['192.0.2.0/24', '2001:DB8::1'],
      allowed_referrers: ['https://App.example.com'],
    };
    const { key, ...shown } = await createApiKey(owner, account.id, settings);
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'Production',
      prefix: key.slice(0, 16),
      scopes: ['members.list', 'org.read'],
      expires_at,
      allowed_ips: ['192.0.2.0/24', '2001:db8::1'],
      allowed_referrers: ['https://app.example.com'],
      created_at: app.clock.now().toISOString(),
      last_used_at: null,
    });
    const path = accountsPath(owner, account.id, 'keys');
    expect((await owner.browser.get(path)).json).toEqual({ items: [shown] });
    const stored = await app.deps.db.selectFrom('api_keys').selectAll().where('id', '=', shown.id).execute();
    expect(JSON.stringify(stored)).not.toContain(key.slice(17, 60));
    expect(await createApiKey(owner, account.id)).toMatchObject({ scopes: null, expires_at: null, allowed_ips: [] });
    for (const status of [204, 204]) expect((await owner.browser.delete(`${path}/${shown.id}`)).status).toBe(status);
    expect((await owner.browser.delete(`${path}/${uuid()}`)).status).toBe(404);
    expect((await owner.browser.get(path)).json.items).toHaveLength(1);
    const rows = await auditOf(app, { resource_id: shown.id });
    expect(rows.map(({ action, metadata }) => [action, metadata])).toEqual([
      ['api_key.created', { service_account_id: account.id, scopes: ['members.list', 'org.read'], expires_at }],
      ['api_key.revoked', { service_account_id: account.id }],
    ]);
    expect(JSON.stringify([rows, app.logs])).not.toContain(key.slice(17, 60));
  });

  it.each([
    ['name', {}],
    ['scopes', { name: 'k', scopes: [] }],
    ['scopes', { name: 'k', scopes: ['invoices.read'] }],
    ['scopes', { name: 'k', scopes: ['nonsense'] }],
    ['scopes', { name: 'k', scopes: Array.from({ length: 65 }, () => 'org.read') }],
    ['expires_at', { name: 'k', expires_at: '2030-01-15T12:00:00.000Z' }],
    ['expires_at', { name: 'k', expires_at: 'tomorrow' }],
    ['allowed_ips', { name: 'k', allowed_ips: ['192.0.2.1/33'] }],
    ['allowed_ips', { name: 'k', allowed_ips: ['10.1'] }],
    ['allowed_ips', { name: 'k', allowed_ips: ['example.com'] }],
    ['allowed_ips', { name: 'k', allowed_ips: Array.from({ length: 65 }, (_, index) => `10.0.0.${index}`) }],
    ['allowed_referrers', { name: 'k', allowed_referrers: ['https://app.example.com/page'] }],
    ['allowed_referrers', { name: 'k', allowed_referrers: ['app.example.com'] }],
    ['allowed_referrers', { name: 'k', allowed_referrers: ['https://user@app.example.com'] }],
    ['allowed_referrers', { name: 'k', allowed_referrers: ['*'] }],
  ])('400 that names %s for the body %o', async (field, body) => {
    app.clock.set(new Date('2030-01-15T12:00:00.000Z'));
    const owner = await founder(app);
    const account = await createAccount(owner);
    const { status, json } = await owner.browser.post(accountsPath(owner, account.id, 'keys'), body);
    expect([status, json.error.code]).toEqual([400, 'invalid_input']);
    expect(json.error.message).toContain(field);
  });

  it('an account has at most ten active keys; ended and expired ones do not count', async () => {
    const owner = await founder(app);
    const account = await createAccount(owner);
    const expires_at = after(app.clock.now(), 10).toISOString();
    for (let made = 0; made < 8; made++) await createApiKey(owner, account.id, made === 0 ? { expires_at } : {});
    const path = accountsPath(owner, account.id, 'keys');
    const answers = await Promise.all([1, 2, 3, 4].map(() => owner.browser.post(path, { name: 'k' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const { items } = (await owner.browser.get(path)).json;
    const rotate = (body: object) => owner.browser.post(`${path}/${items[0].id}/rotate`, body);
    expect((await rotate({ overlap_seconds: 60 })).status).toBe(409);
    expect((await rotate({})).status).toBe(201);
    app.clock.advance(11);
    await app.deps.sessions.reload(owner.session_id);
    expect((await owner.browser.post(path, { name: 'k' })).status).toBe(201);
    expect((await owner.browser.post(path, { name: 'k' })).status).toBe(409);
  });
});

describe('rotation of an API key', () => {
  it('returns a new key with the same settings; the old key ends at once', async () => {
    const owner = await founder(app);
    const { account, key, id, ...old } = await machine(owner, { scopes: ['org.read'], allowed_ips: ['127.0.0.1'] });
    const { sid } = claimsOf((await exchange(app, key)).json.access_token);
    const path = accountsPath(owner, account.id, 'keys');
    const { status, json } = await owner.browser.post(`${path}/${id}/rotate`);
    expect(status).toBe(201);
    expect(json).toMatchObject({ name: old.name, scopes: old.scopes, allowed_ips: old.allowed_ips, expires_at: null });
    expect([(await session(key)).status, (await session(json.key)).status]).toEqual([401, 200]);
    expect(await revocationsOf(app, sid)).toHaveLength(1);
    expect((await owner.browser.post(`${path}/${id}/rotate`)).status).toBe(409);
    expect((await owner.browser.post(`${path}/${uuid()}/rotate`)).status).toBe(404);
    for (const overlap_seconds of [-1, 604_801, 1.5, '60']) {
      expect((await owner.browser.post(`${path}/${json.id}/rotate`, { overlap_seconds })).status).toBe(400);
    }
    const metadata = { service_account_id: account.id, new_key_id: json.id, overlap_seconds: 0 };
    expect(await auditOf(app, { action: 'api_key.rotated', resource_id: id })).toMatchObject([{ metadata }]);
  });

  it('with an overlap both keys work until the overlap ends; then the feed lists the tokens of the old key', async () => {
    const owner = await founder(app);
    const { account, key, id } = await machine(owner);
    const { access_token } = (await exchange(app, key)).json;
    const { sid } = claimsOf(access_token);
    const path = accountsPath(owner, account.id, 'keys');
    const { json } = await owner.browser.post(`${path}/${id}/rotate`, { overlap_seconds: 60 });
    expect((await owner.browser.post(`${path}/${id}/rotate`, { overlap_seconds: 60 })).status).toBe(409);
    const ends = after(app.clock.now(), 60).toISOString();
    const listed = async () => (await owner.browser.get(path)).json.items;
    expect(await listed()).toMatchObject([
      { id: json.id, expires_at: null },
      { id, expires_at: ends },
    ]);
    expect((await exchange(app, key)).json.expires_in).toBe(60);
    const feed = async () => {
      // The feed is cached for two seconds of real time; a second service on the same database has no cached feed.
      const other = await startTestApp({ database: app.database, clock: app.clock });
      const answer: { json: RevocationFeed } = await createBrowser(other).get('/.well-known/service-revocations.json');
      await other.close();
      return answer.json.revocations.filter((entry) => entry.sid === sid);
    };
    app.clock.advance(59);
    for (const token of [key, json.key, access_token]) expect((await session(token)).status).toBe(200);
    expect(await feed()).toEqual([]);
    app.clock.advance(1);
    for (const token of [key, access_token]) expect((await session(token)).status).toBe(401);
    expect((await session(json.key)).status).toBe(200);
    expect(await feed()).toHaveLength(1);
    expect(await listed()).toHaveLength(1);
  });
});

describe('requests with an API key as Bearer token', () => {
  it('GET /auth/session shows the service account, its effective scopes and the restrictions of the key', async () => {
    const owner = await founder(app);
    const role = await createRole(owner, { name: 'Reader', permissions: ['invoices.read', 'members.remove'] });
    const scopes = ['invoices.read', 'org.read'];
    const { account, key } = await machine(owner, { role_ids: [role.id], scopes, allowed_ips: ['127.0.0.0/8'] });
    expect((await session(key)).json).toEqual({
      user: {
        user_id: account.id,
        organization_id: owner.organization_id,
        email: '',
        email_verified: false,
        display_name: 'Import',
        auth_method: 'api_key',
        aal: 'aal1',
        session_family_id: expect.any(String),
        mfa_verified_at: null,
        scopes,
        allowed_ips: ['127.0.0.0/8'],
        allowed_referrers: [],
        extensions: {},
      },
      capabilities: { role: 'machine', roles: ['reader'], permissions: scopes, platform_role: null },
    });
  });

  it('a key is read from the database once, then cached', async () => {
    const { key, id } = await machine(await founder(app));
    expect((await session(key)).status).toBe(200);
    // Written directly to the database, so that the service gets no notification.
    await app.deps.db.updateTable('api_keys').set({ revoked_at: app.clock.now() }).where('id', '=', id).execute();
    expect((await session(key)).status).toBe(200);
  });

  it('last_used_at of a key is written at most once a minute', async () => {
    const owner = await founder(app);
    const { account, key, id } = await machine(owner);
    await session(key);
    const used = async () => {
      await app.deps.machines.flush();
      const { items } = (await owner.browser.get(accountsPath(owner, account.id, 'keys'))).json;
      const shown = (await owner.browser.get(accountsPath(owner, account.id))).json;
      expect(items[0]).toMatchObject({ id, last_used_at: shown.last_used_at });
      return shown.last_used_at;
    };
    const first = app.clock.now().toISOString();
    expect(await used()).toBe(first);
    app.clock.advance(59);
    await session(key);
    expect(await used()).toBe(first);
    app.clock.advance(1);
    await session(key);
    expect(await used()).toBe(app.clock.now().toISOString());
  });

  it('a key and its token are rejected in a cookie, and logout does not end them', async () => {
    const owner = await founder(app);
    const { key } = await machine(owner);
    const { access_token } = (await exchange(app, key)).json;
    for (const token of [key, access_token]) {
      const browser = createBrowser(app, new Map([['service_at', token]]));
      expect((await browser.get('/auth/session')).status).toBe(401);
      expect((await sendAs(app, token, 'POST', '/auth/logout')).status).toBe(204);
      expect((await sendAs(app, token, 'POST', '/auth/refresh')).status).toBe(401);
      expect((await session(token)).status).toBe(200);
    }
  });

  it('401 for an access token in place of a key at the exchange, and for combinations of key and token as Bearer', async () => {
    const owner = await founder(app);
    const { key, prefix } = await machine(owner);
    const { access_token } = (await exchange(app, key)).json;
    expect((await exchange(app, access_token, { client_id: prefix })).status).toBe(401);
    expect((await session(`${key}.${key}.${key}`)).status).toBe(401);
    expect((await session(`gth_${access_token}`)).status).toBe(401);
    expect((await session(access_token.replace(/^[^.]+/, 'gth_'))).status).toBe(401);
  });
});

describe('API keys with restrictions', () => {
  const from = async (token: string, remoteAddress: string, headers: Record<string, string> = {}) => {
    const sent = { authorization: `Bearer ${token}`, ...headers };
    return (await app.server.inject({ method: 'GET', url: '/v1/auth/session', remoteAddress, headers: sent }))
      .statusCode;
  };

  it.each([
    [['192.0.2.7'], '192.0.2.7', 200],
    [['192.0.2.7'], '::ffff:192.0.2.7', 200],
    [['::ffff:192.0.2.0/120'], '192.0.2.9', 200],
    [['192.0.2.0/24'], '192.0.3.1', 401],
    [['2001:db8::/32'], '2001:db8:1::1', 200],
    [['2001:db8::/32'], '2001:db9::1', 401],
    [['0.0.0.0/0'], '2001:db8::1', 401],
    [['192.0.2.7', '2001:db8::1'], '2001:db8::1', 200],
  ])(
    'a key with allowed_ips %o, used from %s, gets %i: as Bearer, at the exchange, and with an exchanged token',
    async (allowed_ips, address, status) => {
      const owner = await founder(app);
      const { account, key } = await machine(owner, { allowed_ips });
      const rest = [await from(key, address), (await exchange(app, key, { remoteAddress: address })).status];
      expect(rest).toEqual([status, status]);
      const inside = allowed_ips[0]!.split('/')[0]!.replace('0.0.0.0', '10.0.0.1').replace(/::$/, '::1');
      const { json } = await exchange(app, key, { remoteAddress: inside });
      expect(await from(json.access_token, address)).toBe(status);
      expect(account.disabled).toBe(false);
    },
  );

  it('headers such as X-Forwarded-For of an untrusted client do not change the address that allowed_ips is compared with', async () => {
    const owner = await founder(app);
    const { key } = await machine(owner, { allowed_ips: ['192.0.2.7'] });
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip']) {
      const headers = { [name]: name === 'forwarded' ? 'for=192.0.2.7' : '192.0.2.7' };
      expect(await from(key, '198.51.100.1', headers)).toBe(401);
      expect((await exchange(app, key, { remoteAddress: '198.51.100.1', headers })).status).toBe(401);
    }
  });

  it('allowed_referrers is compared with Origin or, without it, with the origin of Referer; 401 without both', async () => {
    const owner = await founder(app);
    const { key } = await machine(owner, { allowed_referrers: ['https://app.example.com'] });
    const cases: [Record<string, string>, number][] = [
      [{}, 401],
      [{ origin: 'https://app.example.com' }, 200],
      [{ referer: 'https://app.example.com/page?x=1' }, 200],
      [{ origin: 'https://evil.example', referer: 'https://app.example.com/' }, 401],
      [{ origin: 'null', referer: 'https://app.example.com/' }, 401],
      [{ origin: 'https://app.example.com:8443' }, 401],
      [{ origin: 'http://app.example.com' }, 401],
      [{ origin: 'https://app.example.com.evil.example' }, 401],
      [{ referer: 'https://evil.example/https://app.example.com' }, 401],
    ];
    const good = await exchange(app, key, { headers: { origin: 'https://app.example.com' } });
    for (const [headers, status] of cases) {
      const statuses = [
        (await session(key, headers)).status,
        (await exchange(app, key, { headers })).status,
        (await session(good.json.access_token, headers)).status,
      ];
      expect([headers, statuses]).toEqual([headers, [status, status, status]]);
    }
  });
});

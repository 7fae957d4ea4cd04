import type { RevocationFeed } from '@gatehouse/contract';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../../test/administrator.ts';
import { claimsOf, createBrowser } from '../../../../test/browser.ts';
import { useTestApp } from '../../../../test/harness.ts';
import { auditOf, countingRows, revocationsOf, untilBlocked } from '../../../../test/records.ts';
import { founder } from '../../../../test/team.ts';
import { checksumOf, createKey } from '../../../domain/machines/key-format.ts';
import { createMachineStates } from '../../../domain/machines/state.ts';
import { after, seconds } from '../../../platform/clock.ts';
import { accountsPath, createApiKey, exchange, machine, sendAs } from '../../machines/machines-fixture.ts';
import { createRole, declare, keyOf, rolesPath } from '../../roles/roles-fixture.ts';

const app = useTestApp({ environment: { LIMIT_KEY_EXCHANGES: '20/1m', LIMIT_KEY_FAILURES: '8/1m' } });
beforeAll(() => declare(app, 'invoices.read', 'invoices.write'));

const reader = async () => {
  const owner = await founder(app);
  const role = await createRole(owner, {
    name: 'R',
    permissions: ['invoices.read', 'invoices.write', 'members.invite'],
  });
  return { owner, role, ...(await machine(owner, { role_ids: [role.id] })) };
};
const ALL = 'invoices.read invoices.write members.invite members.list org.read';

describe('exchanging an API key for an access token', () => {
  it('the access token has the documented claims and is valid for 300 seconds', async () => {
    const { owner, account, key } = await reader();
    const { status, json, headers } = await exchange(app, key);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(json).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 300, scope: ALL });
    const now = seconds(app.clock.now());
    const { user } = (await sendAs(app, key, 'GET', '/auth/session')).json;
    expect(claimsOf(json.access_token)).toEqual({
      iss: app.deps.config.PUBLIC_BASE_URL,
      sub: account.id,
      org: owner.organization_id,
      sid: user.session_family_id,
      jti: expect.any(String),
      aal: 'aal1',
      auth_method: 'api_key',
      auth_time: now,
      iat: now,
      exp: now + 300,
      typ: 'access',
      role: 'machine',
      scope: ALL,
      perms: ['invoices.read', 'invoices.write'],
      perms_at: expect.any(Number),
    });
    expect(claimsOf((await exchange(app, key)).json.access_token).sid).toBe(user.session_family_id);
  });

  it('a scope narrows the token; invalid_scope for a scope that the key lacks or an empty one, invalid_request for a control character', async () => {
    const { owner, account } = await reader();
    const { key } = await createApiKey(owner, account.id, { scopes: ['members.list', 'invoices.read'] });
    const { json } = await exchange(app, key, { scope: 'invoices.read  invoices.read' });
    expect(json.scope).toBe('invoices.read');
    expect(claimsOf(json.access_token)).toMatchObject({ scope: 'invoices.read', perms: ['invoices.read'] });
    const members = `/orgs/${owner.organization_id}/members`;
    expect((await sendAs(app, json.access_token, 'GET', members)).status).toBe(403);
    expect((await sendAs(app, key, 'GET', members)).status).toBe(200);
    expect((await sendAs(app, json.access_token, 'GET', '/auth/session')).json.user.scopes).toEqual(['invoices.read']);
    for (const scope of ['members.invite', 'invoices.read members.invite', 'org.update', 'nothing', '*', ' ']) {
      const answer = await exchange(app, key, { scope });
      expect([scope, answer.status, answer.json.error]).toEqual([scope, 400, 'invalid_scope']);
    }
    expect((await exchange(app, key, { scope: 'a\nb' })).json.error).toBe('invalid_request');
  });

  it('accepts the key by HTTP Basic, also percent-encoded, and rejects Basic together with client_secret in the form', async () => {
    const { key, prefix } = await reader();
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const ask = async (headers: Record<string, string>, body = 'grant_type=client_credentials') =>
      (
        await app.server.inject({
          method: 'POST',
          url: '/oauth/token',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body,
        })
      ).statusCode;
    const encoded = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
    expect(await ask(basic(`${prefix}:${key}`))).toBe(200);
    expect(await ask(basic(`${encoded(prefix)}:${encoded(key)}`))).toBe(200);
    expect(await ask(basic(`${prefix}:${key}`), `grant_type=client_credentials&client_secret=${key}`)).toBe(400);
    expect(await ask({ authorization: `Bearer ${key}` })).toBe(401);
    expect(await ask(basic(`${key}:${key}`))).toBe(401);
  });

  it('a token expires no later than its key', async () => {
    const { owner, account } = await reader();
    const expires_at = after(app.clock.now(), 40).toISOString();
    const { key } = await createApiKey(owner, account.id, { expires_at });
    expect((await exchange(app, key)).json.expires_in).toBe(40);
    app.clock.advance(40);
    expect((await exchange(app, key)).status).toBe(401);
  });

  it('scopes that are too long for a token are omitted from it, and all scopes of the key apply; a requested list of that length is invalid_scope', async () => {
    const owner = await founder(app);
    const names = Array.from({ length: 40 }, (_, index) => `product.permission-with-a-long-name-${index}`);
    await declare(app, ...names);
    const role = await createRole(owner, { name: 'Long', permissions: names });
    const { key } = await machine(owner, { role_ids: [role.id] });
    const { json } = await exchange(app, key);
    expect(json.access_token.length).toBeLessThanOrEqual(3500);
    expect(claimsOf(json.access_token)).toMatchObject({ perms_omitted: true });
    expect(claimsOf(json.access_token)).not.toHaveProperty('scope');
    expect(json.scope.split(' ')).toHaveLength(42);
    expect((await sendAs(app, json.access_token, 'GET', '/auth/session')).json.user.scopes).toHaveLength(42);
    expect((await exchange(app, key, { scope: names.join(' ') })).json.error).toBe('invalid_scope');
  });

  it('a change of roles makes tokens stale for verifiers, and applies at the service at once', async () => {
    const { owner, account, role, key } = await reader();
    const { json } = await exchange(app, key);
    await owner.browser.patch(rolesPath(owner, role.id), { permissions: ['invoices.read'] });
    const scopes = async (token: string) => (await sendAs(app, token, 'GET', '/auth/session')).json.user.scopes;
    const left = ['invoices.read', 'members.list', 'org.read'];
    expect([await scopes(key), await scopes(json.access_token)]).toEqual([left, left]);
    const feed: { json: RevocationFeed } = await createBrowser(app).get('/.well-known/service-revocations.json');
    const entry = feed.json.refreshes.find(
      ({ key: name }) => name === keyOf(`${owner.organization_id}/${account.id}`),
    )!;
    expect(entry.before).toBeGreaterThan(claimsOf(json.access_token).perms_at);
    await owner.browser.delete(rolesPath(owner, role.id));
    expect(await scopes(key)).toEqual(['members.list', 'org.read']);
  });
});

const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
const withWrongSecret = (key: string): string => {
  const text = `${key.slice(0, 16)}_${createKey().key.slice(17, 60)}`;
  return text + checksumOf(text);
};

describe('rejected exchanges of an API key', () => {
  it('an unknown or ended key, a wrong secret, a wrong checksum and another client_id get the same 401', async () => {
    const { owner, account, key, id } = await reader();
    const other = createKey().key;
    const bodies = [other, withWrongSecret(key), mistyped(key)];
    const answers = await Promise.all(bodies.map((text) => exchange(app, text)));
    answers.push(await exchange(app, key, { client_id: other.slice(0, 16) }));
    answers.push(await exchange(app, key, { client_id: 'gth_short' }));
    await owner.browser.delete(accountsPath(owner, account.id, 'keys', id));
    answers.push(await exchange(app, key));
    for (const { status, json, headers } of answers) {
      expect([status, json]).toEqual([401, answers[0]!.json]);
      expect(headers['www-authenticate']).toBe('Basic realm="oauth"');
    }
    expect(answers[0]!.json.error).toBe('invalid_client');
  });

  it('a wrong secret of a known key is audited at most once a minute; a wrong checksum is not audited', async () => {
    const { key, id, account, owner } = await reader();
    const forged = withWrongSecret(key);
    const refused = () => auditOf(app, { action: 'api_key.refused', resource_id: id });
    await exchange(app, mistyped(key));
    await app.deps.machines.flush();
    expect(await refused()).toEqual([]);
    for (const attempt of [exchange(app, forged), sendAs(app, forged, 'GET', '/auth/session')]) {
      expect((await attempt).status).toBe(401);
    }
    await app.deps.machines.flush();
    expect(await refused()).toMatchObject([
      {
        actor_type: 'anonymous',
        actor_id: null,
        organization_id: owner.organization_id,
        resource_type: 'api_key',
        outcome: 'failure',
        metadata: { service_account_id: account.id, reason: 'secret' },
      },
    ]);
    app.clock.advance(61);
    await exchange(app, forged);
    await app.deps.machines.flush();
    expect(await refused()).toHaveLength(2);
  });

  it('the response to a wrong secret does not wait for its audit row, at POST /oauth/token and at other endpoints', async () => {
    const { key, id } = await reader();
    const forged = withWrongSecret(key);
    const blocker = await app.deps.db.startTransaction().execute();
    await sql`lock table audit_events in exclusive mode`.execute(blocker);
    expect((await exchange(app, forged)).status).toBe(401);
    expect((await sendAs(app, forged, 'GET', '/auth/session')).status).toBe(401);
    await untilBlocked(app, 1);
    await blocker.commit().execute();
    await app.deps.machines.flush();
    expect(await auditOf(app, { action: 'api_key.refused', resource_id: id })).toHaveLength(1);
  });

  it('a mistyped key, an unknown key and a key that does not belong to the client_id write no rate counter', async () => {
    const { key, prefix } = await reader();
    const { result, rows } = await countingRows(app, ['rate_counters'], async () => [
      (await exchange(app, mistyped(key))).status,
      (await exchange(app, createKey().key)).status,
      (await exchange(app, createKey().key, { client_id: prefix })).status,
    ]);
    expect([result, rows]).toEqual([[401, 401, 401], { rate_counters: 0 }]);
  });

  it('unknown keys do not evict a key in use from the cache', async () => {
    const { prefix } = await reader();
    const { db, bus } = app.deps;
    const states = createMachineStates(db, app.clock, bus, { keys: 1, misses: 1 });
    const public_id = prefix.slice(4);
    const found = await states.findByPublicId(public_id);
    const invented = createKey();
    expect(await states.findByPublicId(invented.public_id)).toBeUndefined();
    // The result is a value and not a promise, so no query was made.
    expect(states.findByPublicId(invented.public_id)).toBeUndefined();
    expect(states.findByPublicId(public_id)).toBe(found);
    expect(found).toMatchObject({ public_id });
  });

  it.each([
    ['wrong secret', withWrongSecret],
    ['wrong checksum', mistyped],
  ])('exchanges with a %s above the limit are 429, and the right key is still accepted', async (_what, spoil) => {
    const { key } = await reader();
    const wrong = spoil(key);
    const statuses = [];
    for (let attempt = 0; attempt < 10; attempt++) statuses.push((await exchange(app, wrong)).status);
    expect(statuses).toEqual([...Array(8).fill(401), 429, 429]);
    const limited = await exchange(app, wrong);
    expect(limited.json.error).toBe('temporarily_unavailable');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await exchange(app, key)).status).toBe(200);
    app.clock.advance(61);
    expect((await exchange(app, wrong)).status).toBe(401);
  });

  it('exchanges of a key above the limit are 429; requests with the key itself are not limited', async () => {
    const { key } = await reader();
    const answers = await Promise.all(Array.from({ length: 22 }, () => exchange(app, key)));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(200), count(429)]).toEqual([20, 2]);
    expect((await sendAs(app, key, 'GET', '/auth/session')).status).toBe(200);
  });
});

describe('API keys of a suspended organization', () => {
  it('keys and tokens of a suspended organization are rejected; once it is restored, keys work and old tokens do not', async () => {
    const admin = await insertAdministrator(app);
    const { owner, key } = await reader();
    const { json } = await exchange(app, key);
    const { sid } = claimsOf(json.access_token);
    const suspend = (suspended: boolean) => admin.patch(`/admin/orgs/${owner.organization_id}`, { suspended });
    expect((await suspend(true)).status).toBe(200);
    expect((await exchange(app, key)).json.error).toBe('invalid_client');
    for (const token of [key, json.access_token]) {
      expect((await sendAs(app, token, 'GET', '/auth/session')).status).toBe(401);
    }
    expect(await revocationsOf(app, sid)).toHaveLength(1);
    await suspend(false);
    expect((await sendAs(app, json.access_token, 'GET', '/auth/session')).status).toBe(401);
    expect(claimsOf((await exchange(app, key)).json.access_token).sid).not.toBe(sid);
  });
});

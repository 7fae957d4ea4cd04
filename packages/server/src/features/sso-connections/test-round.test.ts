import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBrowser, type TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../../test/openid-provider.ts';
import { auditOf, countSessions } from '../../../test/records.ts';
import { CLIENT, createConnection, type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
import { founder, updateMembership } from '../../../test/team.ts';

let place: SsoPlace;
let app: TestApp;
let provider: OpenIdProvider;
let owner: TestUser;
let connection: { id: string; callback_url: string };
beforeAll(async () => {
  place = await startSso({ environment: { LIMIT_SSO_TESTS: '3/10m' } });
  ({ app } = place);
});
afterAll(() => place.close());
beforeEach(async () => {
  owner = await founder(app);
  provider = place.provider;
  Object.assign(provider, { fault: undefined, claims: {}, metadata: {}, down: false });
  provider.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
  connection = await createConnection(owner, provider);
});

const at = (verb = '') => `/orgs/${owner.organization_id}/sso-connections/${connection.id}${verb}`;
const read = async () => (await owner.browser.get(at())).json;
const start = async (): Promise<string> => {
  const { status, json, text } = await owner.browser.post(at('/test'));
  if (status !== 200) throw new Error(`the test was answered ${status}: ${text}`);
  return json.authorization_url;
};

const AS_JSON = { headers: { accept: 'application/json' } };

async function finish(callback: string) {
  const { status, json, text } = await owner.browser.get(callback, AS_JSON);
  if (status !== 200) throw new Error(`the callback was answered ${status}: ${text}`);
  return json;
}

describe('the test of a connection', () => {
  it('passes after a complete sign-in at the provider, opens no session, and allows activation', async () => {
    const sessions = await countSessions(app, owner.user_id);
    const result = await finish(provider.authorize(await start()));
    expect(result).toEqual({ ok: true, detail: expect.stringContaining('can be activated') });
    expect((await read()).last_test).toEqual({ ...result, at: app.clock.now().toISOString() });
    expect(await auditOf(app, { action: 'sso.connection.tested', resource_id: connection.id })).toMatchObject([
      { actor_id: owner.user_id, organization_id: owner.organization_id, metadata: { ok: true } },
    ]);
    expect(await countSessions(app, owner.user_id)).toBe(sessions);
    expect((await owner.browser.post(at('/activate'))).json.status).toBe('active');
  });

  it.each<[string, Partial<OpenIdProvider> & { deny?: string; secret?: string }, string]>([
    ['the provider denies access', { deny: 'access_denied' }, 'cancelled at the provider'],
    ['the provider refuses', { deny: 'server_error' }, 'refused the request'],
    ['the client may not sign in', { deny: 'unauthorized_client' }, 'client ID or the client secret'],
    ['the secret is wrong', { secret: 'other' }, 'client ID or the client secret'],
    ['no email is sent', { claims: { email: undefined } }, 'no email address'],
    ['the nonce is wrong', { claims: { nonce: 'x' } }, 'another sign-in'],
    ['the provider is down', { down: true }, "can't be reached"],
  ])('fails with a detail that names the cause if %s', async (_what, { deny, secret, ...changes }, sentence) => {
    const callback = provider.authorize(await start(), deny === undefined ? {} : { deny });
    Object.assign(provider, changes);
    if (secret !== undefined) provider.clients.set(CLIENT.client_id, { secret, redirect_uris: null });
    const result = await finish(callback);
    expect(result).toEqual({ ok: false, detail: expect.stringContaining(sentence) });
    expect((await read()).last_test).toMatchObject(result);
    expect((await owner.browser.post(at('/activate'))).status).toBe(409);
    const [row] = await auditOf(app, { action: 'sso.connection.tested', resource_id: connection.id });
    expect(row?.metadata).toEqual({ ok: false, cause: expect.any(String) });
  });

  it.each([
    [
      { redirect_uris: ['https://id.example.com/other'] },
      "doesn't know this redirect URI. Register {callback_url} there",
    ],
    [undefined, "doesn't accept the client ID"],
  ])(
    'stores the cause if the provider shows an error page instead of redirecting: registered client %j',
    async (client, sentence) => {
      provider.clients.clear();
      if (client) provider.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, ...client });
      await start();
      const { last_test } = await read();
      expect(last_test.ok).toBe(false);
      expect(last_test.detail).toContain(sentence.replace('{callback_url}', connection.callback_url));
      // Once the provider is corrected, the round that was begun can end.
      provider.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
      expect(await finish(provider.authorize(await start()))).toMatchObject({ ok: true });
    },
  );

  it('returns 409 and stores a failed test if the metadata cannot be read', async () => {
    const broken = await startOpenIdProvider({ now: app.clock.now });
    broken.fault = { at: 'metadata', how: { status: 200, body: 'the whole body of a response' } };
    connection = await createConnection(owner, broken);
    const { status, json, set_cookies } = await owner.browser.post(at('/test'));
    expect([status, json.error.message, set_cookies]).toEqual([
      409,
      expect.stringContaining("metadata can't be read"),
      [],
    ]);
    expect((await read()).last_test).toEqual({
      ok: false,
      detail: json.error.message,
      at: app.clock.now().toISOString(),
    });
    expect(JSON.stringify([await read(), await auditOf(app), app.logs])).not.toContain('whole body');
    await broken.close();
  });

  it.each(['metadata', 'keys'] as const)('%s that were faulty in the previous test are read again', async (at) => {
    const fixed = await startOpenIdProvider({ now: app.clock.now });
    fixed.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
    connection = await createConnection(owner, fixed);
    const round = async () => finish(fixed.authorize(await start()));
    fixed.fault = { at, how: { status: 500, body: '' } };
    await round().catch(() => {});
    expect((await read()).last_test.ok).toBe(false);
    fixed.fault = undefined;
    expect(await round()).toMatchObject({ ok: true });
    await fixed.close();
  });

  it('is 429 above the limit of the organization, without a request to the provider', async () => {
    for (let count = 0; count < 3; count++) await start();
    const { length } = provider.requests;
    const { status, headers } = await owner.browser.post(at('/test'));
    expect([status, Number(headers['retry-after']) > 0, provider.requests.length]).toEqual([429, true, length]);
    owner = await founder(app);
    connection = await createConnection(owner, provider);
    await start();
  });

  it('redirects to the page of the connection, only in the browser that began the test, and only once', async () => {
    const callback = provider.authorize(await start());
    const elsewhere = await createBrowser(app).get(callback, AS_JSON);
    expect(elsewhere.status).toBe(404);
    expect((await read()).last_test).toBeNull();
    const { status, headers, set_cookies } = await owner.browser.get(callback);
    expect([status, headers.location, set_cookies]).toEqual([302, `/organization/sso/${connection.id}`, []]);
    expect((await read()).last_test.ok).toBe(true);
    expect((await owner.browser.get(callback, AS_JSON)).status).toBe(401);
  });

  it('is rejected at the callback of another connection, and not stored after a change of the settings', async () => {
    const other = await createConnection(owner, provider);
    const callback = provider.authorize(await start());
    expect((await owner.browser.get(callback.replace(connection.id, other.id), AS_JSON)).status).toBe(404);
    await owner.browser.patch(at(), { client_secret: CLIENT.client_secret });
    expect(await finish(callback)).toMatchObject({ ok: false, detail: expect.stringContaining('not stored') });
    expect((await read()).last_test).toBeNull();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its owner signs out', () => owner.browser.post('/auth/logout')],
    ['its owner becomes an admin', () => updateMembership(app, owner, { role: 'admin' })],
    ['it is deleted', () => owner.browser.delete(at())],
  ])('stores no result if, before the callback, %s', async (_what, act) => {
    const callback = provider.authorize(await start());
    await act();
    expect(await finish(callback)).toMatchObject({ ok: false, detail: expect.stringContaining('not stored') });
    expect(await auditOf(app, { action: 'sso.connection.tested', resource_id: connection.id })).toEqual([]);
  });

  it('a failed test after a passed one leaves the connection active', async () => {
    await finish(provider.authorize(await start()));
    await owner.browser.post(at('/activate'));
    await finish(provider.authorize(await start(), { deny: 'access_denied' }));
    expect(await read()).toMatchObject({ status: 'active', last_test: { ok: false } });
  });
});

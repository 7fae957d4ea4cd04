import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, registerUser, type TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp, useTestApp } from '../../../test/harness.ts';
import { countingRows } from '../../../test/records.ts';
import { founder, insertMembership } from '../../../test/team.ts';
import { assign, createRole, declare } from '../roles/roles-fixture.ts';
import {
  authorize,
  authorizePath,
  CALLBACK,
  codeFor,
  createClient,
  decide,
  exchange,
  interactionIn,
  locationOf,
  payloadOf,
  postForm,
  refresh,
  responseOf,
  type TestClient,
  userinfo,
  VERIFIER,
} from './provider-fixture.ts';

const RESOURCE = 'https://api.example.com/';

let app: TestApp;
let trusted: TestClient;
let native: TestClient;
let user: TestUser;
beforeAll(async () => {
  app = await startTestApp();
  trusted = await createClient(app, {
    trusted: true,
    resources: [RESOURCE],
    scopes: ['openid', 'email', 'offline_access'],
  });
  native = await createClient(app, { kind: 'native', redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/cb'] });
  user = await founder(app);
});
afterAll(() => app.close());

describe('GET /oauth/authorize shows an error page, and never redirects', () => {
  it.each<[string, Record<string, string | undefined>]>([
    ['an unknown client', { client_id: 'app_unknown' }],
    ['no client', { client_id: undefined }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['a longer path', { redirect_uri: `${CALLBACK}/x` }],
    ['another query', { redirect_uri: `${CALLBACK}?x=1` }],
    ['another case', { redirect_uri: CALLBACK.toUpperCase() }],
    ['another port', { redirect_uri: 'https://wiki.example.com:444/callback' }],
    ['a fragment', { redirect_uri: `${CALLBACK}#x` }],
    ['a path that leads back', { redirect_uri: 'https://wiki.example.com/x/../callback' }],
    ['credentials', { redirect_uri: 'https://a@wiki.example.com/callback' }],
    ['a request that is too long', { ui_locales: 'x'.repeat(9000) }],
    ['more than 50 parameters', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`p${index}`, '1']))],
  ])('400 for %s', async (_, fields) => {
    const { status, headers, text } = await user.browser.get(authorizePath(trusted, fields));
    expect([status, headers.location, headers['content-type']]).toEqual([400, undefined, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(text).toContain('This request is not valid');
  });

  it.each(['client_id', 'redirect_uri'])('400 for a repeated %s', async (name) => {
    const answer = await user.browser.get(
      `${authorizePath(trusted)}&${name}=${name === 'client_id' ? trusted.client_id : encodeURIComponent(CALLBACK)}`,
    );
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });

  it('the error page is in German for a browser that prefers German', async () => {
    const { text } = await createBrowser(app).get('/oauth/authorize', { headers: { 'accept-language': 'de' } });
    expect(text).toContain('Diese Anfrage ist ungültig');
  });
});

describe('GET /oauth/authorize reports errors to the application, with state and iss', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['response_mode=fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['PKCE plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'x' }, 'invalid_request'],
    ['a scope that is not listed', { scope: 'openid profile' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'openid admin' }, 'invalid_scope'],
    ['a resource that is not listed', { resource: 'https://other.example.com/' }, 'invalid_target'],
    ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: '-1' }, 'invalid_request'],
    ['an organization that is no id', { organization: 'example' }, 'invalid_request'],
    ['an organization of others', { organization: '01890000-0000-7000-8000-000000000000' }, 'access_denied'],
    ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
    ['a request object by reference', { request_uri: 'https://wiki.example.com/r' }, 'request_uri_not_supported'],
    ['a NUL in the nonce', { nonce: 'a\0b' }, 'invalid_request'],
  ])('%s is reported as $2', async (_, fields, error) => {
    const answer = await authorize(user.browser, trusted, fields);
    expect(answer.status).toBe(302);
    expect(String(answer.headers.location).startsWith(`${CALLBACK}?`)).toBe(true);
    expect(responseOf(answer)).toEqual({
      error,
      error_description: expect.any(String),
      state: 'the state',
      iss: 'http://localhost:8080/oauth',
    });
  });

  it.each([
    'scope=openid',
    `resource=${encodeURIComponent(RESOURCE)}&resource=${encodeURIComponent(RESOURCE)}`,
    'state=x',
  ])('a repeated parameter is invalid_request: %s', async (more) => {
    const answer = await user.browser.get(`${authorizePath(trusted)}&${more}`);
    expect(responseOf(answer)).toMatchObject({ error: 'invalid_request' });
    expect(responseOf(answer).state).toBe(more === 'state=x' ? undefined : 'the state');
  });

  it.each<[string, Record<string, string>, string]>([
    ['no session', {}, 'login_required'],
    ['a sign-in that is too old', { max_age: '0' }, 'login_required'],
    ['aal2', { acr_values: 'aal2' }, 'interaction_required'],
  ])('prompt=none with %s is reported as $2', async (name, fields, error) => {
    app.clock.advance(1);
    const browser = name === 'no session' ? createBrowser(app) : user.browser;
    expect(responseOf(await authorize(browser, trusted, { prompt: 'none', ...fields }))).toMatchObject({ error });
  });
});

it.each(['aal1 aal2', 'unknown aal1 aal2', 'unknown'])(
  'acr_values=%j is a list by preference: a session without a second factor gets a code',
  async (acr_values) => {
    expect(await codeFor(user.browser, trusted, { acr_values })).toBeTruthy();
  },
);

describe('authorization requests that require an interaction with the user', () => {
  it.each<[string, Record<string, string>, string]>([
    ['prompt=login', { prompt: 'login' }, 'sign_in'],
    ['max_age=0', { max_age: '0' }, 'sign_in'],
    ['prompt=select_account', { prompt: 'select_account' }, 'sign_in'],
    ['acr_values=aal2', { acr_values: 'aal2' }, 'mfa'],
    ['acr_values=aal2 aal1', { acr_values: 'aal2 aal1' }, 'mfa'],
  ])('%s requires an interaction of kind $2', async (_, fields, kind) => {
    app.clock.advance(1);
    const id = interactionIn(await authorize(user.browser, trusted, fields));
    const { json } = await user.browser.get(`/auth/oauth-interactions/${id}`);
    expect(json).toMatchObject({
      kind,
      reauthenticate: kind === 'sign_in' && !('prompt' in fields && fields.prompt === 'select_account'),
    });
  });

  it('prompt=select_account with several organizations: account, then organization, then a code for the chosen one', async () => {
    const person = await founder(app);
    const other = await founder(app);
    await insertMembership(app, { organization_id: other.organization_id, user_id: person.user_id });
    const first = interactionIn(await authorize(person.browser, trusted, { prompt: 'select_account' }));
    const second = (await decide(person.browser, first)).json.redirect_to.split('=')[1];
    const shown = (await person.browser.get(`/auth/oauth-interactions/${second}`)).json;
    expect([shown.kind, shown.organizations.map(({ id }: { id: string }) => id)]).toEqual([
      'organization',
      [person.organization_id, other.organization_id],
    ]);
    const chosen = await decide(person.browser, second, { decision: 'allow', organization_id: other.organization_id });
    const code = new URL(chosen.json.redirect_to).searchParams.get('code')!;
    expect(payloadOf((await exchange(app, trusted, code)).json.access_token).org).toBe(other.organization_id);
  });

  it('an interaction is 404 for another user in the same browser, for Bearer tokens, and after ten minutes', async () => {
    const client = await createClient(app);
    const one = await founder(app);
    const id = interactionIn(await authorize(one.browser, client));
    const other = await founder(app);
    other.browser.jar.set('service_interaction', one.browser.jar.get('service_interaction')!);
    expect((await other.browser.get(`/auth/oauth-interactions/${id}`)).status).toBe(404);
    expect((await decide(other.browser, id)).status).toBe(404);
    const bearer = { headers: { authorization: `Bearer ${one.access_token}` } };
    expect((await one.browser.post(`/auth/oauth-interactions/${id}`, { decision: 'allow' }, bearer)).status).toBe(404);
    expect(
      (await one.browser.post(`/auth/oauth-interactions/${id}`, { decision: 'allow' }, { csrf: false })).status,
    ).toBe(403);
    app.clock.advance(600);
    expect((await decide(one.browser, id)).status).toBe(404);
    app.clock.advance(-600);
  });

  it('an interaction is 404 once its redirect URI is removed', async () => {
    const client = await createClient(app);
    const person = await founder(app);
    const id = interactionIn(await authorize(person.browser, client));
    const admin = await insertAdministrator(app, 'admin', app.clock.now());
    const change = (uri: string) =>
      admin.patch(`/admin/applications/${client.application.id}`, { redirect_uris: [uri] });
    await change(`${CALLBACK}2`);
    expect((await person.browser.get(`/auth/oauth-interactions/${id}`)).status).toBe(404);
    expect((await decide(person.browser, id)).status).toBe(404);
    expect((await decide(person.browser, id, { decision: 'deny' })).status).toBe(404);
    await change(CALLBACK);
    expect((await decide(person.browser, id)).status).toBe(200);
  });

  it.each(['a session', 'no session'])(
    'HEAD with %s is redirected to resume and to /sign-in, and stores nothing',
    async (who) => {
      const browser = who === 'a session' ? user.browser : createBrowser(app);
      const head = async (path: string) => String((await browser.send('HEAD', path)).headers.location);
      const { result, rows } = await countingRows(app, ['interactions', 'application_grants'], async () => {
        const resume = await head(authorizePath(trusted));
        return [resume.split('?')[0], await head(await head(resume.slice('/v1'.length)))];
      });
      expect(result).toEqual(['/v1/auth/oauth-interactions/resume', '/sign-in']);
      expect(rows).toEqual({ interactions: 0, application_grants: 0 });
    },
  );

  it('an application that is bound to an organization can be used only by members of this organization', async () => {
    const client = await createClient(app, { trusted: true, organization_id: user.organization_id });
    expect(responseOf(await authorize(user.browser, client))).toHaveProperty('code');
    expect(responseOf(await authorize((await founder(app)).browser, client))).toMatchObject({ error: 'access_denied' });
  });

  it('POST /oauth/authorize works like GET', async () => {
    const answer = await user.browser.send('POST', '/oauth/authorize', {
      body: authorizePath(trusted).split('?')[1],
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(responseOf(answer)).toHaveProperty('code');
  });

  it.each([
    ['http://127.0.0.1:51004/cb', true],
    ['http://127.0.0.1/cb', true],
    ['com.example.app:/cb', true],
    ['http://127.0.0.1:51004/other', false],
    ['http://localhost:51004/cb', false],
    ['http://127.0.0.1:99999/cb', false],
    ['http://127.0.0.1:1@evil.example/cb', false],
  ])('a native application with the redirect URI %s: accepted %s', async (redirect_uri, isAccepted) => {
    const answer = await authorize(user.browser, native, { redirect_uri });
    expect(answer.status).toBe(isAccepted ? 302 : 400);
  });
});

describe('POST /oauth/token', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['a wrong verifier', { code_verifier: `${VERIFIER}x` }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'x' }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_request'],
    ['another redirect URI', { redirect_uri: `${CALLBACK}2` }, 'invalid_grant'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['another code', { code: 'x' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example.com/' }, 'invalid_target'],
    ['a wrong secret', { client_secret: 'x' }, 'invalid_client'],
    ['no secret', { client_secret: undefined }, 'invalid_client'],
    ['client_credentials', { grant_type: 'client_credentials' }, 'unauthorized_client'],
    ['an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('an exchange with %s fails with $2, and the code stays valid', async (_, fields, error) => {
    const code = await codeFor(user.browser, trusted);
    const refused = await exchange(app, trusted, code, fields);
    expect([refused.status, refused.json.error]).toEqual([error === 'invalid_client' ? 401 : 400, error]);
    expect((await exchange(app, trusted, code)).status).toBe(200);
  });

  it('a code is valid for 60 seconds', async () => {
    const [early, late] = [await codeFor(user.browser, trusted), await codeFor(user.browser, trusted)];
    app.clock.advance(59);
    expect((await exchange(app, trusted, early)).status).toBe(200);
    app.clock.advance(1);
    expect((await exchange(app, trusted, late)).json.error).toBe('invalid_grant');
  });

  it('a public client authenticates by its id alone, and must not send a secret', async () => {
    const code = await codeFor(user.browser, native, { redirect_uri: 'com.example.app:/cb' });
    const fields = { redirect_uri: 'com.example.app:/cb' };
    expect((await exchange(app, native, code, { ...fields, client_secret: 'x' })).status).toBe(401);
    expect((await exchange(app, native, code, fields)).status).toBe(200);
  });

  it('the resource parameter is the audience of the token and bound to the grant; userinfo and the API of the service reject the token', async () => {
    const code = await codeFor(user.browser, trusted, { scope: 'openid offline_access', resource: RESOURCE });
    const { access_token, refresh_token } = (await exchange(app, trusted, code)).json;
    expect(payloadOf(access_token).aud).toBe(RESOURCE);
    expect((await userinfo(app, access_token)).status).toBe(401);
    const bearer = { headers: { authorization: `Bearer ${access_token}` } };
    expect((await createBrowser(app).get('/auth/session', bearer)).status).toBe(401);
    expect((await userinfo(app, user.access_token)).status).toBe(401);
    expect((await refresh(app, trusted, refresh_token, { resource: 'https://other.example.com/' })).json.error).toBe(
      'invalid_target',
    );
    expect((await refresh(app, trusted, refresh_token, { scope: 'openid email' })).json.error).toBe('invalid_scope');
    const next = await refresh(app, trusted, refresh_token, { resource: RESOURCE, scope: 'openid' });
    expect([next.json.scope, payloadOf(next.json.access_token).aud]).toEqual(['openid', RESOURCE]);
  });

  it('permissions are requested as scopes; a permission that the user lacks is dropped, at issue and at refresh', async () => {
    await declare(app, 'invoices.read', 'invoices.write');
    const client = await createClient(app, {
      trusted: true,
      scopes: ['openid', 'offline_access', 'invoices.read', 'invoices.write'],
    });
    const owner = await founder(app);
    const role = await createRole(owner, { name: 'Reader', permissions: ['invoices.read'] });
    await assign(owner, owner.user_id, [role.id]);
    const scope = 'openid offline_access invoices.read invoices.write';
    const { json } = await exchange(app, client, await codeFor(owner.browser, client, { scope }));
    expect(json.scope).toBe('invoices.read offline_access openid');
    await assign(owner, owner.user_id, []);
    expect((await refresh(app, client, json.refresh_token)).json.scope).toBe('offline_access openid');
  });
});

describe('a refresh token of an application that was used, with REFRESH_GRACE_SECONDS', () => {
  const graceful = useTestApp({ environment: { REFRESH_GRACE_SECONDS: '30' } });

  it('repeats its response, for the same scopes and resource only, while the application lists the resource', async () => {
    const { browser } = await registerUser(graceful);
    const admin = await insertAdministrator(graceful, 'admin', graceful.clock.now());
    const client = await createClient(graceful, { trusted: true, resources: [RESOURCE, 'https://other.example.com/'] });
    const code = await codeFor(browser, client, { scope: 'openid offline_access', resource: RESOURCE });
    const used = (await exchange(graceful, client, code)).json.refresh_token;
    const successor = (await refresh(graceful, client, used)).json.refresh_token;
    const repeat = async (fields = {}) => (await refresh(graceful, client, used, fields)).json;
    expect(await repeat()).toMatchObject({ refresh_token: successor, scope: 'offline_access openid' });
    expect(await repeat({ scope: 'openid email' })).toMatchObject({ error: 'invalid_scope' });
    expect(await repeat({ resource: 'https://other.example.com/' })).toMatchObject({ error: 'invalid_target' });
    expect((await admin.patch(`/admin/applications/${client.application.id}`, { resources: [] })).status).toBe(200);
    expect(await repeat()).toMatchObject({ error: 'invalid_target' });
    expect((await refresh(graceful, client, successor)).json).toMatchObject({ error: 'invalid_target' });
  });
});

describe('limits of applications', () => {
  const limits = { LIMIT_APPLICATION_TOKENS: '2/1m', LIMIT_AUTHORIZE_PER_ADDRESS: '2/1m' };
  const limited = useTestApp({ environment: { ...limits, TRUST_PROXY: '127.0.0.1' } });
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it.each([
    ['a client with a secret', 'web', 429],
    ['a public client', 'spa', 400],
  ])('over the limit of token requests of %s (%s): 429; then from another address %i', async (_, kind, elsewhere) => {
    const client = await createClient(limited, { kind });
    const statuses = [];
    for (let index = 0; index < 3; index++) {
      statuses.push((await exchange(limited, client, 'x', {}, from('192.0.2.1'))).status);
    }
    const { json, headers } = await exchange(limited, client, 'x', {}, from('192.0.2.1'));
    expect([statuses, json.error, Number(headers['retry-after']) > 0]).toEqual([
      [400, 400, 429],
      'temporarily_unavailable',
      true,
    ]);
    expect((await exchange(limited, client, 'x', {}, from('192.0.2.2'))).status).toBe(elsewhere);
  });

  it('a page with 429 over the limit of authorization requests from one address, by GET or POST', async () => {
    const path = `${authorizePath(await createClient(limited))}&resumed=1`;
    const body = path.split('?')[1];
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const browser = createBrowser(limited);
    const get = (address: string) => browser.get(path, { headers: from(address) });
    const post = () => browser.send('POST', '/oauth/authorize', { body, headers: { ...form, ...from('192.0.2.1') } });
    expect([(await get('192.0.2.1')).status, (await post()).status]).toEqual([302, 302]);
    const { result, rows } = await countingRows(limited, ['interactions'], async () => [
      await get('192.0.2.1'),
      await post(),
    ]);
    for (const { status, headers } of result) {
      expect([status, headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(rows).toEqual({ interactions: 0 });
    expect((await get('192.0.2.2')).status).toBe(302);
  });
});

describe('CORS for applications in browsers', () => {
  const preflight = (path: string, origin: string) =>
    createBrowser(app).send('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });

  it('allows the origins of redirect URIs of enabled spa applications, without credentials, only at these endpoints', async () => {
    await createClient(app, { kind: 'spa', redirect_uris: ['https://spa.example.com/callback'] });
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/userinfo', '/oauth/jwks.json']) {
      const { status, headers } = await preflight(path, 'https://spa.example.com');
      expect([status, headers['access-control-allow-origin'], headers['access-control-allow-credentials']]).toEqual([
        204,
        'https://spa.example.com',
        undefined,
      ]);
      expect(
        (await preflight(path, 'https://wiki.example.com')).headers['access-control-allow-origin'],
      ).toBeUndefined();
    }
    expect((await preflight('/oauth/authorize', 'https://spa.example.com')).status).toBe(404);
    const answer = await createBrowser(app).get('/oauth/.well-known/openid-configuration', {
      headers: { origin: 'https://spa.example.com' },
    });
    expect(answer.headers['access-control-allow-origin']).toBe('https://spa.example.com');
    expect(answer.json).toMatchObject({ issuer: 'http://localhost:8080/oauth', response_types_supported: ['code'] });
    const missing = await postForm(app, '/oauth/introspect', trusted, {});
    expect([missing.status, missing.json.error]).toEqual([400, 'invalid_request']);
    expect(locationOf(await authorize(user.browser, trusted)).origin).toBe('https://wiki.example.com');
  });
});

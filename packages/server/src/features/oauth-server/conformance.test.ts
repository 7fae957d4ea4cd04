import { createPublicKey, createHash as hashOf, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, createBrowser, registerUser, type TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { founder } from '../../../test/team.ts';
import {
  authorize,
  authorizePath,
  CALLBACK,
  codeFor,
  createClient,
  decide,
  exchange,
  interactionIn,
  payloadOf,
  refresh,
  responseOf,
  type TestClient,
  userinfo,
  VERIFIER,
} from './provider-fixture.ts';

// The modules of the Basic and Config certification plans of the OpenID Foundation, each test named by its module. The
// suite itself needs a network in which it can be reached. Left out: modules about request objects and about the scopes
// address and phone, which the suite skips because the metadata do not list them.

const ISSUER = 'http://localhost:8080/oauth';

let app: TestApp;
let client: TestClient;
let user: TestUser;
beforeAll(async () => {
  app = await startTestApp();
  client = await createClient(app);
  user = await registerUser(app);
});
afterAll(() => app.close());

type Fields = Record<string, string | undefined>;

async function tokensFor(fields: Fields = {}, at = client) {
  const { status, json } = await exchange(app, at, await codeFor(user.browser, at, fields));
  expect(status).toBe(200);
  return json as { access_token: string; id_token: string; refresh_token?: string; token_type: string };
}
const idToken = async (fields: Fields = {}) => payloadOf((await tokensFor(fields)).id_token);

async function expectSigned(token: string): Promise<void> {
  const [head, body, signature] = token.split('.') as [string, string, string];
  const { kid, alg } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const { keys } = (await app.server.inject('/oauth/jwks.json')).json();
  const key = keys.find((each: { kid: string }) => each.kid === kid);
  expect(alg).toBe('RS256');
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    createPublicKey({ key, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
  expect(isValid).toBe(true);
}

describe('OpenID Basic and Config plans', () => {
  it('oidcc-discovery-endpoint-verification: issuer, endpoints and required members', async () => {
    const answer = await app.server.inject('/oauth/.well-known/openid-configuration');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      userinfo_endpoint: `${ISSUER}/userinfo`,
      jwks_uri: `${ISSUER}/jwks.json`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: expect.arrayContaining(['openid']),
      claims_supported: expect.arrayContaining(['sub']),
    });
    const { keys } = (await app.server.inject('/oauth/jwks.json')).json();
    for (const key of keys) {
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', kid: expect.any(String) });
      expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi'].includes(name))).toEqual([]);
    }
  });

  it('oidcc-server: the ID token is signed and names issuer, audience, times, nonce and hash', async () => {
    const { access_token, id_token, token_type } = await tokensFor();
    expect(token_type).toBe('Bearer');
    await expectSigned(id_token);
    await expectSigned(access_token);
    const now = Math.floor(app.clock.now().getTime() / 1000);
    expect(payloadOf(id_token)).toMatchObject({
      iss: ISSUER,
      sub: user.user_id,
      aud: client.client_id,
      iat: now,
      nonce: 'the nonce',
      at_hash: hashOf('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
    });
    expect(payloadOf(id_token).exp).toBeGreaterThan(now);
  });

  it('oidcc-response-type-missing: the error is reported to the client', async () => {
    const answer = await authorize(user.browser, client, { response_type: undefined });
    expect(responseOf(answer)).toMatchObject({ error: 'invalid_request', state: 'the state' });
  });

  it('oidcc-userinfo-get, oidcc-userinfo-post-header: the same subject by both methods', async () => {
    const { access_token } = await tokensFor({ scope: 'openid email' });
    const get = await userinfo(app, access_token);
    const headers = { authorization: `Bearer ${access_token}` };
    const post = await createBrowser(app).send('POST', '/oauth/userinfo', { headers });
    for (const { status, json } of [get, post]) {
      expect([status, json.sub, json.email]).toEqual([200, user.user_id, user.email]);
    }
  });

  it('oidcc-userinfo-post-body: a token in the body is not accepted, and the response says how to send it', async () => {
    const { access_token } = await tokensFor();
    const { status, headers } = await createBrowser(app).send('POST', '/oauth/userinfo', {
      body: `access_token=${access_token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    expect(await idToken({ nonce: undefined })).not.toHaveProperty('nonce');
  });

  it.each([
    ['oidcc-scope-profile', 'openid profile', ['locale', 'name', 'updated_at']],
    ['oidcc-scope-email', 'openid email', ['email', 'email_verified']],
    ['oidcc-ensure-other-scope-order-succeeds', 'email openid', ['email', 'email_verified']],
  ])('%s: the scope "%s" returns the claims %j', async (_, scope, claims) => {
    const { access_token } = await tokensFor({ scope });
    const { json } = await userinfo(app, access_token);
    const allowed = new Set([...claims, 'sub', 'picture']);
    expect(json.sub).toBe(user.user_id);
    expect(Object.keys(json).filter((name) => !allowed.has(name))).toEqual([]);
    if (scope.includes('email')) expect(json.email).toBe(user.email);
  });

  it.each([
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-login-hint', { login_hint: 'ada@example.com' }],
    ['oidcc-ui-locales', { ui_locales: 'de en' }],
    ['oidcc-claims-locales', { claims_locales: 'de en' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
    ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['oidcc-ensure-request-with-valid-pkce-succeeds', {}],
  ])('%s: the request succeeds', async (_, fields) => {
    expect(await idToken(fields as Fields)).toMatchObject({ sub: user.user_id });
  });

  it('oidcc-prompt-login: asks for a new sign-in', async () => {
    app.clock.advance(1);
    const id = interactionIn(await authorize(user.browser, client, { prompt: 'login' }));
    const { json } = await user.browser.get(`/auth/oauth-interactions/${id}`);
    expect(json).toMatchObject({ kind: 'sign_in', reauthenticate: true });
  });

  it('oidcc-prompt-none-not-logged-in: login_required', async () => {
    const answer = await authorize(createBrowser(app), client, { prompt: 'none' });
    expect(responseOf(answer)).toMatchObject({ error: 'login_required', state: 'the state' });
  });

  it('oidcc-prompt-none-logged-in, oidcc-id-token-hint: the same subject and auth_time, without a page', async () => {
    const { id_token } = await tokensFor();
    const answer = await authorize(user.browser, client, { prompt: 'none', id_token_hint: id_token });
    const { code } = responseOf(answer);
    const again = payloadOf((await exchange(app, client, code!)).json.id_token);
    const { sub, auth_time } = payloadOf(id_token);
    expect(again).toMatchObject({ sub, auth_time });
  });

  describe('id_token_hint', () => {
    const signIn = (browser: Browser) => browser.post('/auth/login', { email: user.email, password: user.password });

    it('of the signed-in user is accepted, also after it has expired', async () => {
      const { id_token } = await tokensFor();
      app.clock.advance(16 * 60);
      await signIn(user.browser);
      const answer = await authorize(user.browser, client, { prompt: 'none', id_token_hint: id_token });
      expect(responseOf(answer)).toHaveProperty('code');
    });

    it('of another user: login_required with prompt=none, otherwise the hinted user has to sign in', async () => {
      const other = await founder(app);
      const { id_token: id_token_hint } = await tokensFor();
      const silent = await authorize(other.browser, client, { prompt: 'none', id_token_hint });
      expect(responseOf(silent)).toMatchObject({ error: 'login_required', state: 'the state' });
      const ask = async () => interactionIn(await authorize(other.browser, client, { id_token_hint }));
      const wrong = await ask();
      expect((await other.browser.get(`/auth/oauth-interactions/${wrong}`)).json).toMatchObject({
        kind: 'sign_in',
        reauthenticate: true,
      });
      expect((await decide(other.browser, wrong)).json.redirect_to).toContain('error=login_required');
      const right = await ask();
      await signIn(other.browser);
      expect((await other.browser.get(`/auth/oauth-interactions/${right}`)).json.reauthenticate).toBe(false);
      expect((await decide(other.browser, right)).json.redirect_to).toContain('code=');
    });

    it.each([
      ['of another client', async () => (await tokensFor({}, await createClient(app))).id_token],
      ['that is an access token', async () => (await tokensFor()).access_token],
      ['with another payload', async () => (await tokensFor()).id_token.replace(/\.[^.]+\./, '.e30.')],
      ['that is no token', () => 'x'],
    ])('%s is invalid_request', async (_, hint) => {
      const answer = await authorize(user.browser, client, { id_token_hint: await hint() });
      expect(responseOf(answer)).toMatchObject({ error: 'invalid_request', state: 'the state' });
    });
  });

  it('oidcc-max-age-1: asks for a new sign-in; oidcc-max-age-10000: the ID token has auth_time', async () => {
    app.clock.advance(2);
    const answer = await authorize(user.browser, client, { max_age: '1', prompt: 'none' });
    expect(responseOf(answer)).toMatchObject({ error: 'login_required' });
    const { auth_time, iat } = await idToken({ max_age: '10000' });
    expect(Number(iat) - Number(auth_time)).toBeLessThan(10_000);
  });

  it('oidcc-codereuse, oidcc-codereuse-30seconds: the second use fails and ends the access token', async () => {
    for (const seconds of [0, 30]) {
      const code = await codeFor(user.browser, client);
      const { access_token } = (await exchange(app, client, code)).json;
      app.clock.advance(seconds);
      const second = await exchange(app, client, code);
      expect([second.status, second.json.error]).toEqual([400, 'invalid_grant']);
      expect((await userinfo(app, access_token)).status).toBe(401);
    }
  });

  it('oidcc-ensure-registered-redirect-uri: an error page, without a redirect', async () => {
    const { status, headers } = await authorize(user.browser, client, { redirect_uri: `${CALLBACK}/x` });
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('oidcc-ensure-post-request-succeeds: the authorization request is a form', async () => {
    const [, query] = authorizePath(client).split('?');
    const answer = await user.browser.send('POST', '/oauth/authorize', {
      body: query!,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(responseOf(answer).code).toEqual(expect.any(String));
  });

  it('oidcc-server-client-secret-post, client_secret_basic: both authenticate the client', async () => {
    const code = await codeFor(user.browser, client);
    const basic = Buffer.from(`${client.client_id}:${encodeURIComponent(client.secret!)}`).toString('base64');
    const { status } = await createBrowser(app).send('POST', '/oauth/token', {
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
    });
    expect(status).toBe(200);
    expect((await exchange(app, client, await codeFor(user.browser, client))).status).toBe(200);
  });

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: rejected', async () => {
    const answer = await authorize(user.browser, client, { request: 'eyJhbGciOiJub25lIn0.e30.' });
    expect(responseOf(answer)).toMatchObject({ error: 'request_not_supported' });
  });

  it('oidcc-refresh-token: the new ID token keeps issuer, subject, audience and auth_time, and has no nonce', async () => {
    const first = await tokensFor({ scope: 'openid offline_access' });
    app.clock.advance(5);
    const { status, json } = await refresh(app, client, first.refresh_token!);
    expect(status).toBe(200);
    const { iss, sub, aud, auth_time, iat } = payloadOf(first.id_token);
    const renewed = payloadOf(json.id_token);
    expect(renewed).toMatchObject({ iss, sub, aud, auth_time });
    expect(renewed).not.toHaveProperty('nonce');
    expect(Number(renewed.iat)).toBeGreaterThan(Number(iat));
    expect(await refresh(app, client, 'unknown')).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { founder } from '../../../test/team.ts';
import {
  authorize,
  CALLBACK,
  codeFor,
  createClient,
  decide,
  exchange,
  interactionIn,
  introspect,
  locationOf,
  payloadOf,
  postForm,
  refresh,
  responseOf,
  type TestClient,
  userinfo,
} from './provider-fixture.ts';

let app: TestApp;
let web: TestClient;
let user: TestUser;
beforeAll(async () => {
  app = await startTestApp();
  web = await createClient(app);
  user = await founder(app);
});
afterAll(() => app.close());

const BASE = 'http://localhost:8080';

describe('the code flow of applications', () => {
  it('asks for consent once, then issues a code, an access token and an ID token with the claims of the scopes', async () => {
    const scope = 'openid profile email organization offline_access';
    const asked = await authorize(user.browser, web, { scope });
    expect([asked.status, locationOf(asked).pathname]).toEqual([302, '/consent']);
    const id = interactionIn(asked);
    const shown = await user.browser.get(`/auth/oauth-interactions/${id}`);
    expect(shown.json).toMatchObject({
      id,
      kind: 'consent',
      application: { client_id: web.client_id, name: 'Wiki' },
      scopes: scope.split(' ').sort(),
      organizations: [{ id: user.organization_id, name: 'Example' }],
    });
    const allowed = await decide(user.browser, id);
    expect(allowed.status).toBe(200);
    const back = new URL(allowed.json.redirect_to);
    expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'the state',
      iss: `${BASE}/oauth`,
    });
    const issued = await exchange(app, web, back.searchParams.get('code')!);
    expect([issued.status, issued.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(issued.json).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      scope: scope.split(' ').sort().join(' '),
    });
    const access = payloadOf(issued.json.access_token);
    expect(access).toEqual({
      iss: `${BASE}/oauth`,
      aud: `${BASE}/oauth/userinfo`,
      sub: user.user_id,
      client_id: web.client_id,
      scope: issued.json.scope,
      org: user.organization_id,
      sid: expect.any(String),
      auth_time: expect.any(Number),
      acr: 'aal1',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: (access.iat as number) + 900,
    });
    const profile = { email: user.email, org: user.organization_id, org_name: 'Example', role: 'owner', roles: [] };
    expect(payloadOf(issued.json.id_token)).toMatchObject({
      iss: `${BASE}/oauth`,
      aud: web.client_id,
      sub: user.user_id,
      nonce: 'the nonce',
      sid: access.sid,
      acr: 'aal1',
      at_hash: expect.stringMatching(/^[\w-]{22}$/),
      ...profile,
    });
    expect((await userinfo(app, issued.json.access_token)).json).toMatchObject({ sub: user.user_id, ...profile });
    const again = await authorize(user.browser, web, { scope: 'openid email' });
    expect(responseOf(again)).toMatchObject({ code: expect.any(String) });
    expect((await user.browser.get('/users/me/applications')).json.items).toEqual([
      {
        id: web.application.id,
        client_id: web.client_id,
        name: 'Wiki',
        scopes: scope.split(' ').sort(),
        granted_at: app.clock.now().toISOString(),
        last_used_at: app.clock.now().toISOString(),
      },
    ]);
    for (const action of ['oauth.consent.granted', 'oauth.token.issued'] as const) {
      const [row] = await auditOf(app, { action });
      expect(row).toMatchObject({ actor_id: user.user_id, organization_id: user.organization_id, outcome: 'success' });
    }
  });

  it('a refresh rotates the refresh token; a used one is rejected within ten seconds, and later ends the grant', async () => {
    const code = await codeFor(user.browser, web, { scope: 'openid offline_access' });
    const first = (await exchange(app, web, code)).json;
    const second = await refresh(app, web, first.refresh_token);
    expect(second.status).toBe(200);
    expect(payloadOf(second.json.access_token).sid).toBe(payloadOf(first.access_token).sid);
    expect(second.json.refresh_token).not.toBe(first.refresh_token);
    expect((await refresh(app, web, first.refresh_token)).json.error).toBe('invalid_grant');
    expect((await introspect(app, web, second.json.access_token)).json).toMatchObject({
      active: true,
      sub: user.user_id,
    });
    expect((await introspect(app, web, second.json.refresh_token)).json).toMatchObject({ active: true });
    app.clock.advance(11);
    expect((await refresh(app, web, first.refresh_token)).json.error).toBe('invalid_grant');
    expect((await refresh(app, web, second.json.refresh_token)).json.error).toBe('invalid_grant');
    expect((await userinfo(app, second.json.access_token)).status).toBe(401);
    expect((await introspect(app, web, second.json.access_token)).json).toEqual({ active: false });
  });

  it('the first codes of a user, exchanged at once, are all accepted, audited, and listed as one application', async () => {
    const client = await createClient(app, { name: 'New', trusted: true });
    // Executed alone, because no statement is running; the others are then a batch.
    const other = await founder(app);
    const codes = [await codeFor(other.browser, client)];
    for (let index = 0; index < 8; index++) codes.push(await codeFor(user.browser, client));
    const answers = await Promise.all(codes.map((code) => exchange(app, client, code)));
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
    const grants = answers.map(({ json }) => String(payloadOf(json.access_token).sid));
    expect(new Set(grants).size).toBe(9);
    const issued = await auditOf(app, { action: 'oauth.token.issued' });
    expect(issued.map(({ resource_id }) => resource_id)).toEqual(expect.arrayContaining(grants));
    const listed = (await user.browser.get('/users/me/applications')).json.items;
    expect(listed.filter(({ name }: { name: string }) => name === 'New')).toHaveLength(1);
  });

  it('a code used twice by its client revokes the tokens issued for it; a use by another client revokes nothing', async () => {
    const other = await createClient(app, { name: 'Other' });
    const code = await codeFor(user.browser, web);
    expect((await exchange(app, other, code)).json.error).toBe('invalid_grant');
    const issued = await exchange(app, web, code);
    expect(issued.status).toBe(200);
    expect((await exchange(app, other, code)).json.error).toBe('invalid_grant');
    expect((await userinfo(app, issued.json.access_token)).status).toBe(200);
    const reused = await exchange(app, web, code);
    expect([reused.status, reused.json.error]).toEqual([400, 'invalid_grant']);
    expect((await userinfo(app, issued.json.access_token)).status).toBe(401);
    const feed = await createBrowser(app).get('/.well-known/service-revocations.json');
    expect(feed.json.revocations.map(({ sid }: { sid: string }) => sid)).toContain(
      payloadOf(issued.json.access_token).sid,
    );
    expect(await auditOf(app, { action: 'oauth.code.reused' })).toHaveLength(1);
  });

  it('without a session: sends the browser through resume once, then to sign-in, and continues afterwards', async () => {
    const known = await registerUser(app);
    const browser = createBrowser(app);
    const asked = await authorize(browser, web, { login_hint: known.email });
    expect(locationOf(asked).pathname).toBe('/sign-in');
    const id = interactionIn(asked);
    expect((await browser.get(`/auth/oauth-interactions/${id}`)).json).toMatchObject({
      kind: 'sign_in',
      login_hint: known.email,
      organizations: [],
    });
    expect((await createBrowser(app).get(`/auth/oauth-interactions/${id}`)).status).toBe(404);
    expect((await decide(browser, id)).status).toBe(401);
    await browser.post('/auth/login', { email: known.email, password: known.password });
    const next = await decide(browser, id);
    expect(next.json.redirect_to).toMatch(/^\/consent\?interaction=/);
    const renewed = `service_interaction=${browser.jar.get('service_interaction')}; Path=/; Max-Age=600;`;
    expect(next.set_cookies).toEqual([expect.stringContaining(renewed)]);
    expect((await decide(browser, id)).status).toBe(409);
    const consent = next.json.redirect_to.split('=')[1];
    expect((await decide(browser, consent, { decision: 'deny' })).json.redirect_to).toMatch(/error=access_denied/);
  });

  it('with only a refresh cookie: resume sets new access cookies, and the refresh token stays unused', async () => {
    const known = await registerUser(app);
    known.browser.jar.delete('service_at');
    const asked = await authorize(known.browser, web, { prompt: 'none' });
    expect(responseOf(asked)).toMatchObject({ error: 'consent_required', state: 'the state', iss: `${BASE}/oauth` });
    expect(known.browser.jar.has('service_at')).toBe(true);
    expect((await known.browser.post('/auth/refresh')).status).toBe(200);
  });

  it('revoking either token ends the grant; a revocation by another client has no effect', async () => {
    const other = await createClient(app, { name: 'Other' });
    const code = await codeFor(user.browser, web, { scope: 'openid offline_access' });
    const { access_token, refresh_token } = (await exchange(app, web, code)).json;
    expect((await postForm(app, '/oauth/revoke', other, { token: refresh_token })).status).toBe(200);
    expect((await userinfo(app, access_token)).status).toBe(200);
    expect((await postForm(app, '/oauth/revoke', web, { token: access_token })).status).toBe(200);
    expect((await userinfo(app, access_token)).status).toBe(401);
    expect((await refresh(app, web, refresh_token)).json.error).toBe('invalid_grant');
  });
});

import { describe, expect, it } from 'vitest';
import { bearer, claimsOf, createBrowser, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  countSessions,
  findSession,
  join,
  revocationsOf,
  setSession,
  setUser,
  suspendOrganization,
} from '../../../test/records.ts';

const app = useTestApp({ environment: { LIMIT_ORGANIZATION_SWITCHES: '3/10m' } });

const cookiesSet = (lines: readonly string[]) => lines.map((line) => line.split('=')[0]).sort();

describe('POST /auth/organization naming the current organization', () => {
  it('naming the current organization returns 200 with a fresh access token of the same session', async () => {
    const account = await registerUser(app);
    app.clock.advance(60);
    const { organization_id } = account;
    const answer = await account.browser.post('/auth/organization', { organization_id: organization_id.toUpperCase() });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'success',
      user: { user_id: account.user_id, organization_id, session_family_id: account.session_id },
      capabilities: { role: 'owner' },
      expires_in: 900,
    });
    const [before, after] = [claimsOf(account.access_token), claimsOf(answer.json.access_token)];
    expect(after).toEqual({
      ...before,
      jti: after.jti,
      iat: before.iat + 60,
      exp: before.exp + 60,
      perms_at: after.perms_at,
    });
    expect(after.perms_at).toBeGreaterThan(before.perms_at);
    expect(after.jti).not.toBe(before.jti);
    expect((await createBrowser(app).get('/auth/session', bearer(answer.json.access_token))).status).toBe(200);
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).status).toBe(200);
  });

  it('naming the current organization sets new service_at and service_csrf cookies and keeps the refresh cookie', async () => {
    const account = await registerUser(app);
    const [refresh_token, csrf] = ['service_rt', 'service_csrf'].map((name) => account.browser.jar.get(name));
    const answer = await account.browser.post('/auth/organization', { organization_id: account.organization_id });
    expect(cookiesSet(answer.set_cookies)).toEqual(['service_at', 'service_csrf']);
    expect(account.browser.jar.get('service_at')).toBe(answer.json.access_token);
    // Pages in other tabs still send the earlier CSRF value.
    expect(account.browser.jar.get('service_csrf')).toBe(csrf);
    expect(account.browser.jar.get('service_rt')).toBe(refresh_token);
    expect((await account.browser.post('/auth/refresh')).status).toBe(200);
  });

  it('naming the current organization sets no cookies for a Bearer in a browser that is signed in to another session', async () => {
    const [account, other] = [await registerUser(app), await registerUser(app)];
    const { organization_id, access_token } = account;
    const answer = await createBrowser(app, other.browser.jar).post(
      '/auth/organization',
      { organization_id },
      { headers: { authorization: `Bearer ${access_token}` } },
    );
    expect(answer).toMatchObject({ status: 200, set_cookies: [] });
  });

  it('naming the current organization revokes, publishes and records nothing, and does not count as a switch', async () => {
    const account = await registerUser(app);
    const rows = (await auditOf(app, { actor_id: account.user_id })).length;
    for (let index = 0; index < 10; index++) {
      const answer = await account.browser.post('/auth/organization', { organization_id: account.organization_id });
      expect(answer.status).toBe(200);
    }
    expect(await countSessions(app, account.user_id)).toBe(1);
    expect(await revocationsOf(app, account.session_id)).toEqual([]);
    expect(await auditOf(app, { actor_id: account.user_id })).toHaveLength(rows);
  });

  it('naming the current organization keeps the session in the feed until the fresh token has expired', async () => {
    const account = await registerUser(app);
    app.clock.advance(600);
    await account.browser.post('/auth/organization', { organization_id: account.organization_id });
    const expires_at = new Date(app.clock.now().getTime() + 900_000);
    expect((await findSession(app, account.session_id)).access_expires_at).toEqual(expires_at);
    await account.browser.post('/auth/logout');
    expect(await revocationsOf(app, account.session_id)).toMatchObject([{ expires_at }]);
  });

  it('naming the current organization returns the assurance and the email verification that the database has now', async () => {
    const account = await registerUser(app);
    expect(claimsOf(account.access_token)).toMatchObject({ aal: 'aal1', email_verified: false });
    await setSession(app, account.session_id, { aal: 'aal2', mfa_verified_at: app.clock.now() });
    await setUser(app, account.user_id, { email_verified_at: app.clock.now() });
    const { json } = await account.browser.post('/auth/organization', { organization_id: account.organization_id });
    expect(json.user).toMatchObject({ aal: 'aal2', email_verified: true });
    expect(claimsOf(json.access_token)).toMatchObject({ aal: 'aal2', email_verified: true });
  });

  it('naming the current organization returns 401 once it is suspended', async () => {
    const account = await registerUser(app);
    await account.browser.get('/auth/session');
    await suspendOrganization(app, account.organization_id);
    const answer = await account.browser.post('/auth/organization', { organization_id: account.organization_id });
    expect(answer.status).toBe(401);
  });
});

describe('the limit of organization switches', () => {
  const back = async () => {
    const account = await registerUser(app);
    const places = [await join(app, account.user_id), account.organization_id];
    const goTo = (index: number) => account.browser.post('/auth/organization', { organization_id: places[index % 2]! });
    return { person: account, goTo };
  };

  it('a switch returns 429 over the limit and changes nothing; the next window starts from zero', async () => {
    const { person: account, goTo } = await back();
    for (let index = 0; index < 3; index++) expect((await goTo(index)).status).toBe(200);
    const sessions = await countSessions(app, account.user_id);
    const limited = await goTo(3);
    expect(limited).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect(await countSessions(app, account.user_id)).toBe(sessions);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    // The session is in the first organization now: naming it is not a switch.
    expect((await goTo(2)).status).toBe(200);
    app.clock.advance(601);
    await account.browser.post('/auth/refresh');
    expect((await goTo(3)).status).toBe(200);
  });

  it('the limit applies to concurrent sessions of a user', async () => {
    const { person: account } = await back();
    const organization_id = await join(app, account.user_id);
    const { email, password } = account;
    const home = { email, password, organization_id: account.organization_id };
    const browsers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const browser = createBrowser(app);
        expect((await browser.post('/auth/login', home)).status).toBe(200);
        return browser;
      }),
    );
    const answers = await Promise.all(
      browsers.map((browser) => browser.post('/auth/organization', { organization_id })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it('rejected switches do not count for the limit', async () => {
    const { person: account, goTo } = await back();
    const outsider = await registerUser(app);
    for (let index = 0; index < 5; index++) {
      const { organization_id } = outsider;
      expect((await account.browser.post('/auth/organization', { organization_id })).status).toBe(403);
    }
    for (let index = 0; index < 3; index++) expect((await goTo(index)).status).toBe(200);
  });
});

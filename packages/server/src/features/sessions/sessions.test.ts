import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  bearer,
  claimsOf,
  createBrowser,
  PASSWORD,
  refreshWith,
  registerUser,
  signInAgain,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  countSessions,
  findSession,
  join,
  liveSessions,
  lockUserRow,
  revocationsOf,
  setSession,
  suspendOrganization,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { enrolNew } from '../../../test/second-factor.ts';

const app = useTestApp();

const idOf = async (browser: { get: TestUser['browser']['get'] }) =>
  (await browser.get('/auth/session')).json.user.session_family_id as string;
const cleared = (lines: readonly string[]) =>
  lines.filter((line) => line.includes('Max-Age=0')).map((line) => line.split('=')[0]);
const THREE = ['service_at', 'service_rt', 'service_csrf'];

describe('GET /auth/session', () => {
  it('returns the user and their permissions; 401 without a session', async () => {
    const account = await registerUser(app);
    const answer = await account.browser.get('/auth/session');
    expect(answer.json.user).toMatchObject({
      email: account.email,
      session_family_id: account.session_id,
      email_verified: false,
    });
    expect(answer.json.capabilities).toMatchObject({ role: 'owner', platform_role: null });
    expect((await createBrowser(app).get('/auth/session')).status).toBe(401);
  });
});

describe('POST /auth/logout', () => {
  it('logout is 204, also when repeated: cookies are cleared, the session is revoked and in the feed; audited once', async () => {
    const account = await registerUser(app);
    const answer = await account.browser.post('/auth/logout');
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(cleared(answer.set_cookies)).toEqual(THREE);
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).status).toBe(401);
    const again = await createBrowser(app).post('/auth/logout', undefined, bearer(account.access_token));
    expect(again.status).toBe(204);
    expect(await auditOf(app, { actor_id: account.user_id, action: 'auth.logout' })).toHaveLength(1);
    expect(await revocationsOf(app, account.session_id)).toMatchObject([{ revoked_at: app.clock.now() }]);
  });

  it('logout uses the refresh cookie if the access token has expired', async () => {
    const account = await registerUser(app);
    app.clock.advance(901);
    for (const name of ['service_at', 'service_csrf']) account.browser.jar.delete(name);
    const { jar } = account.browser;
    const token = jar.get('service_rt')!;
    expect((await account.browser.post('/auth/logout')).status).toBe(204);
    expect((await refreshWith(app, token)).status).toBe(401);
    expect(await auditOf(app, { actor_id: account.user_id, action: 'auth.logout' })).toHaveLength(1);
  });

  it('logout by Bearer keeps the session of the cookies if the cookies belong to another session', async () => {
    const [alice, bob] = [await registerUser(app), await registerUser(app)];
    const headers = { authorization: `Bearer ${alice.access_token}` };
    const others = async () => {
      expect(bob.browser.jar.has('service_rt')).toBe(true);
      expect((await bob.browser.get('/auth/session')).status).toBe(200);
    };
    const { session_id } = alice;
    for (const [method, path] of [
      ['DELETE', '/auth/sessions?include_current=true'],
      ['DELETE', `/auth/sessions/${session_id}`],
      ['POST', '/auth/logout'],
      // A logout with the same Bearer token, whose session has already ended.
      ['POST', '/auth/logout'],
    ] as const) {
      if (method === 'DELETE') {
        const again = await registerUser(app);
        const own = path.endsWith(session_id) ? `/auth/sessions/${again.session_id}` : path;
        const bearerOfAgain = { authorization: `Bearer ${again.access_token}` };
        expect((await bob.browser.send(method, own, { headers: bearerOfAgain })).status).toBe(204);
      } else expect((await bob.browser.send(method, path, { headers })).status).toBe(204);
      await others();
    }
  });

  it('logout ends the session of the refresh cookie also if the Bearer token of the same session has expired', async () => {
    const account = await registerUser(app);
    app.clock.advance(901);
    const headers = { authorization: `Bearer ${account.access_token}` };
    const answer = await account.browser.post('/auth/logout', undefined, { headers });
    expect(answer.status).toBe(204);
    expect(cleared(answer.set_cookies)).toEqual(THREE);
    expect(await liveSessions(app, account.user_id)).toEqual([]);
  });

  it('logout requires CSRF for a cookie, not for a Bearer', async () => {
    const account = await registerUser(app);
    const refused = await account.browser.post('/auth/logout', undefined, { csrf: false });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('csrf_failed');
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    expect((await createBrowser(app).post('/auth/logout', undefined, bearer(account.access_token))).status).toBe(204);
    expect((await account.browser.get('/auth/session')).status).toBe(401);
  });

  it.each([
    ['nothing', {}],
    ['a bad Bearer', { authorization: 'Bearer x.y.z' }],
    ['a bad cookie', { cookie: 'service_at=x; service_rt=y' }],
  ])('logout with %s instead of a session is 204 and clears cookies', async (_name, headers) => {
    const answer = await createBrowser(app).post('/auth/logout', undefined, {
      headers: headers as Record<string, string>,
    });
    expect(answer.status).toBe(204);
    expect(cleared(answer.set_cookies)).toEqual(THREE);
  });

  it('ten concurrent logouts are audited once', async () => {
    const account = await registerUser(app);
    await atOnce(10, () => createBrowser(app).post('/auth/logout', undefined, bearer(account.access_token)));
    expect(await auditOf(app, { actor_id: account.user_id, action: 'auth.logout' })).toHaveLength(1);
  });
});

describe('GET /auth/sessions', () => {
  it('the list has the caller’s active sessions and marks the current one', async () => {
    const account = await registerUser(app);
    await registerUser(app);
    app.clock.advance(5);
    const other = await signInAgain(app, account);
    const gone = await signInAgain(app, account);
    await gone.post('/auth/logout');
    const { items } = (await account.browser.get('/auth/sessions')).json;
    expect(items.map((item: { id: string }) => item.id)).toEqual([await idOf(other), account.session_id]);
    expect(items[1]).toEqual({
      id: account.session_id,
      current: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
      ip_address: '127.0.0.1',
      user_agent: 'lightMyRequest',
      device: 'lightMyRequest',
      auth_method: 'password',
      aal: 'aal1',
      organization_id: account.organization_id,
    });
    expect(items[0].current).toBe(false);
  });

  it('the list names browser and system', async () => {
    const { browser, email } = await registerUser(app);
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' };
    app.clock.advance(5);
    await createBrowser(app).post('/auth/login', { email, password: PASSWORD }, { headers });
    expect((await browser.get('/auth/sessions')).json.items[0].device).toBe('Firefox on Linux');
  });
});

describe('DELETE /auth/sessions/:id', () => {
  it('ending a session is 204, also when repeated, and audited once; also for the current session', async () => {
    const account = await registerUser(app);
    const other = await signInAgain(app, account);
    const id = await idOf(other);
    expect((await account.browser.delete(`/auth/sessions/${id.toUpperCase()}`)).status).toBe(204);
    expect((await other.get('/auth/session')).status).toBe(401);
    expect((await account.browser.delete(`/auth/sessions/${id}`)).status).toBe(204);
    expect(await auditOf(app, { actor_id: account.user_id, action: 'auth.session.revoked' })).toMatchObject([
      { resource_id: id, metadata: { reason: 'user', count: 1 } },
    ]);
    const own = await account.browser.delete(`/auth/sessions/${account.session_id}`);
    expect(own.status).toBe(204);
    expect(cleared(own.set_cookies)).toEqual(THREE);
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).status).toBe(401);
  });

  it('404 for a session of another user, an unknown and a malformed id', async () => {
    const [account, outsider] = [await registerUser(app), await registerUser(app)];
    for (const id of [outsider.session_id, uuid(), 'nothing', '%00', `${outsider.session_id}x`]) {
      const answer = await account.browser.delete(`/auth/sessions/${id}`);
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect((await outsider.browser.get('/auth/session')).status).toBe(200);
  });

  it('401 without a session, 403 without CSRF', async () => {
    const account = await registerUser(app);
    expect((await createBrowser(app).delete(`/auth/sessions/${account.session_id}`)).status).toBe(401);
    expect((await account.browser.delete(`/auth/sessions/${account.session_id}`, { csrf: false })).status).toBe(403);
  });
});

describe('DELETE /auth/sessions', () => {
  it('ends every session except the current one; with include_current also the current one', async () => {
    const account = await registerUser(app);
    const others = [await signInAgain(app, account), await signInAgain(app, account)];
    expect((await account.browser.delete('/auth/sessions')).status).toBe(204);
    for (const other of others) expect((await other.get('/auth/session')).status).toBe(401);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    const answer = await account.browser.delete('/auth/sessions?include_current=true');
    expect(answer.status).toBe(204);
    expect(cleared(answer.set_cookies)).toEqual([...THREE, 'service_trust']);
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).status).toBe(401);
    const audit = await auditOf(app, { actor_id: account.user_id, action: 'auth.session.revoked' });
    expect(audit.map(({ metadata }) => metadata)).toEqual([
      { reason: 'user', count: 2 },
      { reason: 'user', count: 1 },
    ]);
  });

  it('with include_current every trusted browser of the user is revoked and audited; without it none is', async () => {
    const [account, other] = [await enrolNew(app), await enrolNew(app)];
    const cookies = [await trustBrowser(app, account.user_id), await trustBrowser(app, account.user_id)];
    const kept = await trustBrowser(app, other.user_id);
    const statusWith = async (who: TestUser, cookie: string) =>
      (await createBrowser(app).post('/auth/login', who, { headers: { cookie } })).json.status;
    const revoked = () => auditOf(app, { actor_id: account.user_id, action: 'trusted_browser.revoked' });
    expect((await account.browser.delete('/auth/sessions')).status).toBe(204);
    for (const cookie of cookies) expect(await statusWith(account, cookie)).toBe('success');
    expect(await revoked()).toEqual([]);
    expect((await account.browser.delete('/auth/sessions?include_current=true')).status).toBe(204);
    for (const cookie of cookies) expect(await statusWith(account, cookie)).toBe('mfa_required');
    expect(await revoked()).toHaveLength(2);
    expect(await statusWith(other, kept)).toBe('success');
  });

  it('400 for values of include_current other than true and false', async () => {
    const { browser } = await registerUser(app);
    const answer = await browser.delete('/auth/sessions?include_current=maybe');
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toBe('include_current: must be one of true, false');
  });
});

describe('POST /auth/organization', () => {
  it('a switch uses the assurance at the time of writing, not the cached one', async () => {
    const account = await registerUser(app);
    const organization_id = await join(app, account.user_id);
    await setSession(app, account.session_id, { aal: 'aal2', mfa_verified_at: app.clock.now() });
    const letGo = await lockUserRow(app, account.user_id);
    const asked = account.browser.post('/auth/organization', { organization_id });
    await untilBlocked(app, 1);
    await setSession(app, account.session_id, { mfa_verified_at: null });
    await letGo();
    const { json } = await asked;
    expect(json.user).toMatchObject({ organization_id, mfa_verified_at: null });
    expect((await findSession(app, json.user.session_family_id)).mfa_verified_at).toBeNull();
  });

  it('a switch is 200: a new family in that organization, with the same assurance and age; the old one ends', async () => {
    const account = await registerUser(app);
    const verified = app.clock.now();
    await setSession(app, account.session_id, { aal: 'aal2', mfa_verified_at: verified });
    const organization_id = await join(app, account.user_id, { role: 'admin' });
    app.clock.advance(30);
    const answer = await account.browser.post('/auth/organization', { organization_id });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'success',
      user: { organization_id, aal: 'aal2', mfa_verified_at: verified.toISOString(), auth_method: 'password' },
      capabilities: { role: 'admin' },
    });
    expect(answer.json.user.session_family_id).not.toBe(account.session_id);
    expect(claimsOf(answer.json.access_token).auth_time).toBe(verified.getTime() / 1000);
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).status).toBe(401);
    expect((await account.browser.get('/auth/session')).json.user.organization_id).toBe(organization_id);
    // Repeated switching does not extend the lifetime beyond that of the sign-in.
    expect((await findSession(app, answer.json.user.session_family_id)).auth_time).toEqual(verified);
  });

  it('a switch is 403 to an organization without membership, a suspended or an unknown one; the session stays', async () => {
    const [account, outsider] = [await registerUser(app), await registerUser(app)];
    const suspended = await join(app, account.user_id);
    await suspendOrganization(app, suspended);
    for (const organization_id of [outsider.organization_id, suspended, uuid()]) {
      expect((await account.browser.post('/auth/organization', { organization_id })).status).toBe(403);
    }
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    expect((await account.browser.post('/auth/organization', {})).status).toBe(400);
  });

  it('ten concurrent switches: one succeeds', async () => {
    const account = await registerUser(app);
    const organization_id = await join(app, account.user_id);
    const answers = await atOnce(10, () =>
      createBrowser(app).post('/auth/organization', { organization_id }, bearer(account.access_token)),
    );
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    expect(await liveSessions(app, account.user_id)).toHaveLength(1);
  });
});

describe('last_used_at of a session', () => {
  const lastUsed = async (id: string) => (await findSession(app, id)).last_used_at;

  it('last_used_at is written at most once a minute, and outside the request', async () => {
    const { browser, session_id } = await registerUser(app);
    const start = app.clock.now();
    app.clock.advance(30);
    await browser.get('/auth/session');
    await app.deps.sessions.flush();
    expect(await lastUsed(session_id)).toEqual(start);
    app.clock.advance(40);
    for (let index = 0; index < 5; index++) await browser.get('/auth/session');
    expect(await lastUsed(session_id)).toEqual(start);
    await app.deps.sessions.flush();
    const written = await lastUsed(session_id);
    expect(written).toEqual(app.clock.now());
    app.clock.advance(30);
    await browser.get('/auth/session');
    await app.deps.sessions.flush();
    expect(await lastUsed(session_id)).toEqual(written);
  });
});

describe('the sweep of sessions', () => {
  it('the sweep deletes sessions that ended more than 90 days ago', async () => {
    const account = await registerUser(app);
    await account.browser.post('/auth/logout');
    const fresh = await registerUser(app);
    const count = ({ user_id }: TestUser) => countSessions(app, user_id);
    await app.sweeper.pass();
    expect(await count(account)).toBe(1);
    // A family lives for up to 90 days, and is kept for 90 more.
    app.clock.advance(179 * 86_400);
    await app.sweeper.pass();
    expect(await count(account)).toBe(1);
    app.clock.advance(2 * 86_400);
    await app.sweeper.pass();
    expect(await count(account)).toBe(0);
    expect(await count(fresh)).toBe(0);
    expect((await registerUser(app)).session_id).toBeDefined();
  });
});

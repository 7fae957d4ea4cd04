import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  atOnce,
  bearer,
  claimsOf,
  createBrowser,
  refreshTokenIn,
  refreshWith,
  registerUser,
  signInAgain,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { SECRET, startTestApp, type TestApp } from '../../../test/harness.ts';
import {
  auditOf,
  endMemberships,
  findSession,
  revocationsOf,
  setUser,
  suspendOrganization,
} from '../../../test/records.ts';
import { givePolicy } from '../policy/policy-fixture.ts';

let app: TestApp;
let graceful: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  graceful = await startTestApp({ environment: { REFRESH_GRACE_SECONDS: '30' } });
});
afterAll(() => Promise.all([app.close(), graceful.close()]));

const tokenOf = (user: TestUser) => user.browser.jar.get('service_rt')!;
const sessionOf = (target: TestApp, { session_id }: TestUser) => findSession(target, session_id);
const reuses = (target: TestApp, { session_id }: TestUser) =>
  auditOf(target, { resource_id: session_id, action: 'auth.refresh.reuse_detected' });

describe('§5.5 POST /auth/refresh', () => {
  it('200 { access_token, expires_in } and three cookies; family and sign-in time stay, token ids change', async () => {
    const user = await registerUser(app);
    const before = { access: claimsOf(user.access_token), refresh: claimsOf(tokenOf(user)) };
    app.clock.advance(60);
    const answer = await user.browser.post('/auth/refresh');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json).sort()).toEqual(['access_token', 'expires_in']);
    expect(answer.set_cookies.map((line) => line.split('=')[0])).toEqual(['service_at', 'service_rt', 'service_csrf']);
    const after = { access: claimsOf(answer.json.access_token), refresh: claimsOf(tokenOf(user)) };
    expect(after.access).toMatchObject({ sid: before.access.sid, auth_time: before.access.auth_time, aal: 'aal1' });
    expect(after.access.jti).not.toBe(before.access.jti);
    expect(after.refresh).toMatchObject({ typ: 'refresh', sid: before.refresh.sid });
    expect(after.refresh.jti).not.toBe(before.refresh.jti);
    expect(after.refresh.jti).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(after.refresh.exp - before.refresh.exp).toBe(60);
    expect((await user.browser.get('/auth/session')).status).toBe(200);
  });

  it('a refresh from a page on another host name is 403 unless its origin is listed, and a sign-out with the refresh cookie does nothing', async () => {
    const listed = await startTestApp({ environment: { CORS_ORIGINS: 'https://app.example.com' } });
    const from = (origin: string, site: string) => ({ headers: { origin, 'sec-fetch-site': site } });
    const user = await registerUser(listed);
    for (const site of ['same-site', 'cross-site']) {
      const foreign = from('https://blog.example.com', site);
      const refused = await user.browser.post('/auth/refresh', undefined, foreign);
      expect([refused.status, refused.json.error.code]).toEqual([403, 'csrf_failed']);
      expect(refused.set_cookies).toEqual([]);
      // A planted second cookie service_at hides the valid one, so that only the refresh cookie identifies the session.
      const cookie = [...user.browser.jar, ['service_at', 'planted']].map((pair) => pair.join('=')).join('; ');
      const signOut = { headers: { ...foreign.headers, cookie }, cookies: false, csrf: false } as const;
      const answer = await user.browser.post('/auth/logout', undefined, signOut);
      expect([answer.status, answer.set_cookies]).toEqual([204, []]);
    }
    expect((await user.browser.post('/auth/refresh', undefined, from('null', 'cross-site'))).status).toBe(403);
    for (const [origin, site] of [
      ['https://app.example.com', 'same-site'],
      ['http://127.0.0.1:8080', 'same-origin'],
    ] as const) {
      expect((await user.browser.post('/auth/refresh', undefined, from(origin, site))).status).toBe(200);
    }
    expect((await user.browser.get('/auth/session')).status).toBe(200);
    await listed.close();
  });

  it('a refresh needs no CSRF header, and a Bearer token does not replace the refresh cookie', async () => {
    const user = await registerUser(app);
    expect((await user.browser.post('/auth/refresh', undefined, { csrf: false })).status).toBe(200);
    const answer = await createBrowser(app).post('/auth/refresh', undefined, bearer(user.access_token));
    expect(answer.status).toBe(401);
  });

  it.each([
    ['nothing', undefined],
    ['garbage', 'garbage'],
    ['three parts of nothing', 'a.b.c'],
  ])('401 if the refresh cookie is %s', async (_name, token) => {
    const jar = new Map(token === undefined ? [] : [['service_rt', token]]);
    const answer = await createBrowser(app, jar).post('/auth/refresh');
    expect(answer.status).toBe(401);
    expect(answer.json.error.code).toBe('authentication_required');
  });

  it('401 for an access token as the refresh cookie, and for a refresh cookie that is sent twice', async () => {
    const user = await registerUser(app);
    expect((await refreshWith(app, user.access_token)).status).toBe(401);
    const cookie = `service_rt=${tokenOf(user)}; service_rt=${tokenOf(user)}`;
    expect((await createBrowser(app).post('/auth/refresh', undefined, { headers: { cookie } })).status).toBe(401);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
  });

  it('the lifetime of a refresh token is extended by each rotation and ends with the family, 90 days after the sign-in', async () => {
    const user = await registerUser(app);
    const start = app.clock.now().getTime();
    for (let day = 0; day < 4; day++) {
      app.clock.advance(25 * 86_400);
      const answer = await user.browser.post('/auth/refresh');
      expect(answer.status).toBe(day < 3 ? 200 : 401);
      if (day === 2) expect((await sessionOf(app, user)).expires_at.getTime()).toBe(start + 90 * 86_400_000);
    }
    const idle = await registerUser(app);
    app.clock.advance(30 * 86_400);
    expect((await idle.browser.post('/auth/refresh')).status).toBe(401);
  });
});

describe('reuse of a refresh token', () => {
  it('reuse within 10 seconds: 401 without consequences; family and cookies stay', async () => {
    const user = await registerUser(app);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    app.clock.advance(9);
    const late = await refreshWith(app, first);
    expect(late.status).toBe(401);
    expect(late.set_cookies).toEqual([]);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
    expect(await reuses(app, user)).toEqual([]);
  });

  it('reuse within 10 seconds, if a replica whose clock is ahead recorded the first use: 401 without consequences', async () => {
    const user = await registerUser(app);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    app.clock.advance(-1);
    expect((await refreshWith(app, first)).status).toBe(401);
    app.clock.advance(1);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
  });

  it('reuse within 10 seconds and after another rotation: 401 without consequences', async () => {
    const user = await registerUser(app);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    app.clock.advance(3);
    await user.browser.post('/auth/refresh');
    app.clock.advance(3);
    expect((await refreshWith(app, first)).status).toBe(401);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
  });

  it('a refresh token used again after 10 seconds revokes the session; feed, audit trail and log record it', async () => {
    const user = await registerUser(app);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    app.clock.advance(10);
    const theft = await refreshWith(app, first);
    expect(theft.status).toBe(401);
    // Another tab may have signed in again: its cookies must not be cleared.
    expect(theft.set_cookies).toEqual([]);
    expect(app.logs.filter(({ session_id }) => session_id === user.session_id)).toMatchObject([{ level: 40 }]);
    expect((await user.browser.get('/auth/session')).status).toBe(401);
    expect((await user.browser.post('/auth/refresh')).status).toBe(401);
    expect(await reuses(app, user)).toMatchObject([{ outcome: 'failure', actor_id: user.user_id }]);
    expect(await revocationsOf(app, user.session_id)).toHaveLength(1);
  });

  it('the reuse of a refresh token is audited once, however often the old token is sent', async () => {
    const user = await registerUser(app);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    app.clock.advance(60);
    expect(tally(await atOnce(10, () => refreshWith(app, first)))).toEqual({ 401: 10 });
    expect(await reuses(app, user)).toHaveLength(1);
  });

  it('ten concurrent refreshes with one token: one succeeds, and the family stays', async () => {
    const user = await registerUser(app);
    const token = tokenOf(user);
    const answers = await atOnce(10, () => refreshWith(app, token));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await refreshWith(app, refreshTokenIn(winner)!)).status).toBe(200);
  });

  it('reuse is still detected after the recent uses were swept', async () => {
    const user = await registerUser(app);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    app.clock.advance(400);
    await app.sweeper.pass();
    expect(
      await app.deps.db.selectFrom('refresh_uses').select('jti').where('jti', '=', claimsOf(first).jti).execute(),
    ).toEqual([]);
    expect((await refreshWith(app, first)).status).toBe(401);
    expect((await user.browser.post('/auth/refresh')).status).toBe(401);
  });
});

it('the feed lists a session that was refreshed long after its sign-in, also with a policy', async () => {
  for (const hasPolicy of [false, true]) {
    const users = await Promise.all(Array.from({ length: 5 }, () => registerUser(app)));
    for (const { organization_id } of hasPolicy ? users : []) {
      await givePolicy(app, organization_id, { session_max_age_seconds: 7_776_000 });
    }
    app.clock.advance(1200);
    // The first one is executed alone, the others as a batch.
    expect(tally(await Promise.all(users.map(({ browser }) => browser.post('/auth/refresh'))))).toEqual({ 200: 5 });
    for (const user of users) {
      await user.browser.post('/auth/logout');
      const [entry] = await revocationsOf(app, user.session_id);
      expect(entry?.expires_at).toEqual(new Date(app.clock.now().getTime() + 900_000));
    }
  }
});

describe('REFRESH_GRACE_SECONDS', () => {
  it('in the grace period a used token returns the same successor while the successor is unused, never another one', async () => {
    const user = await registerUser(graceful);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    const successor = tokenOf(user);
    graceful.clock.advance(25);
    const again = await refreshWith(graceful, first);
    expect(again.status).toBe(200);
    expect(again.set_cookies[1]).toContain(successor);
    expect((await user.browser.get('/auth/session')).status).toBe(200);
    const { access_expires_at } = await sessionOf(graceful, user);
    expect(access_expires_at.getTime()).toBe(graceful.clock.now().getTime() + 900_000);
    const next = await refreshWith(graceful, successor);
    expect(next.status).toBe(200);
    // The successor token was used, and reuse after 25 seconds is no longer accepted as a race of two requests.
    expect((await refreshWith(graceful, first)).status).toBe(401);
    expect((await sessionOf(graceful, user)).revoked_at).not.toBeNull();
  });

  it('in the grace period ten concurrent requests get the same successor', async () => {
    const user = await registerUser(graceful);
    const token = tokenOf(user);
    const answers = await atOnce(10, () => refreshWith(graceful, token));
    expect(tally(answers)).toEqual({ 200: 10 });
    expect(new Set(answers.map(refreshTokenIn)).size).toBe(1);
  });

  it('in the grace period a used token returns the same successor also after a change of JWT_SECRET', async () => {
    const user = await registerUser(graceful);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    const renewed = await startTestApp({
      environment: { REFRESH_GRACE_SECONDS: '30', JWT_SECRET: `${SECRET} and more`, JWT_SECRET_PREVIOUS: SECRET },
      database: graceful.database,
      clock: graceful.clock,
    });
    const again = await refreshWith(renewed, first);
    expect(again.status).toBe(200);
    expect(claimsOf(refreshTokenIn(again)!).jti).toBe(claimsOf(tokenOf(user)).jti);
    await renewed.close();
  });

  it('a refresh token used again after the grace period revokes the session', async () => {
    const user = await registerUser(graceful);
    const first = tokenOf(user);
    await user.browser.post('/auth/refresh');
    graceful.clock.advance(31);
    expect((await refreshWith(graceful, first)).status).toBe(401);
    expect(await reuses(graceful, user)).toHaveLength(1);
  });
});

describe('a refresh with a concurrent end of the session', () => {
  const ends: [string, (user: TestUser) => Promise<unknown>][] = [
    ['logout', (user) => user.browser.post('/auth/logout')],
    ['revocation', async (user) => (await signInAgain(app, user)).delete(`/auth/sessions/${user.session_id}`)],
  ];
  it.each(ends)('%s during a refresh: no token works afterwards, whichever comes first', async (_name, end) => {
    for (let round = 0; round < 2; round++) {
      const user = await registerUser(app);
      const token = tokenOf(user);
      const [refreshed] = await Promise.all([refreshWith(app, token), end(user)]);
      const next = refreshTokenIn(refreshed);
      if (next) expect((await refreshWith(app, next)).status).toBe(401);
      if (refreshed.status === 200) {
        const { access_token } = refreshed.json;
        expect((await createBrowser(app).get('/auth/session', bearer(access_token))).status).toBe(401);
      }
      expect((await sessionOf(app, user)).revoked_at).not.toBeNull();
    }
  });

  it('401 for a refresh after the user was disabled, deleted or removed, or the organization suspended', async () => {
    const changes: ((user: TestUser) => Promise<unknown>)[] = [
      ({ user_id }) => setUser(app, user_id, { status: 'disabled' }),
      ({ user_id }) => setUser(app, user_id, { status: 'deleted' }),
      ({ organization_id }) => suspendOrganization(app, organization_id),
      ({ user_id }) => endMemberships(app, user_id),
    ];
    for (const change of changes) {
      const user = await registerUser(app);
      await change(user);
      expect((await user.browser.post('/auth/refresh')).status).toBe(401);
    }
  });
});

describe('when the database fails', () => {
  it('a refresh is 500 when the database fails, and the cookies stay', async () => {
    const user = await registerUser(app);
    const { db } = app.deps;
    (app.deps as { db: unknown }).db = {
      ...db,
      getExecutor: () => {
        throw new Error('gone');
      },
    };
    const answer = await user.browser.post('/auth/refresh');
    (app.deps as { db: unknown }).db = db;
    expect(answer.status).toBe(500);
    expect(answer.set_cookies).toEqual([]);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
  });
});

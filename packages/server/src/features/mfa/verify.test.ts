import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, bearer, claimsOf, createBrowser, registerUser, tally } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf, findSession, liveSessions, lockUserRow, trustBrowser, untilBlocked } from '../../../test/records.ts';
import { challenge, enrolNew, halfSignIn, verify } from '../../../test/second-factor.ts';
import { featuresOf } from '../../app.ts';
import { steppedUp } from '../../http/guards.ts';
import { route } from '../../http/route.ts';

/** An endpoint that requires a recent second factor. */
const guarded = {
  name: 'Guarded',
  routes: [
    route({
      method: 'POST',
      path: '/guarded',
      admits: ['session'],
      access: [steppedUp],
      summary: 'Asks for step-up',
      responses: { 204: null },
      handler: ({ reply }) => reply.code(204).send(),
    }),
  ],
};

let app: TestApp;
beforeAll(async () => {
  const started = await startTestApp();
  const features = [...featuresOf(started.deps.config), guarded];
  await started.close();
  app = await startTestApp({ features });
});
afterAll(() => app.close());

const reach = (token: string) => createBrowser(app).post('/guarded', undefined, bearer(token));
const trailOf = async (user_id: string) =>
  (await auditOf(app, { actor_id: user_id, action: 'mfa.verified' })).map(({ outcome, metadata }) => ({
    outcome,
    metadata,
  }));

describe('POST /auth/mfa/verify', () => {
  it('a right code is 200: the session is aal2, verified now, with a new token and cookies; its sign-in method stays', async () => {
    const account = await enrolNew(app);
    const trusted = createBrowser(app);
    const headers = { cookie: await trustBrowser(app, account.user_id) };
    const { json: session } = await trusted.post('/auth/login', account, { headers });
    expect(session.user).toMatchObject({ aal: 'aal1', mfa_verified_at: null });
    app.clock.advance(20);
    const answer = await trusted.post('/auth/mfa/verify', { code: account.app.code() });
    expect(answer.status).toBe(200);
    const mfa_verified_at = app.clock.now().toISOString();
    expect(answer.json).toEqual({ mfa_verified_at, access_token: expect.any(String), expires_in: 900 });
    expect(claimsOf(answer.json.access_token)).toMatchObject({
      sid: session.user.session_family_id,
      aal: 'aal2',
      auth_method: 'password',
    });
    expect(answer.set_cookies.map((line) => line.split('=')[0])).toEqual(['service_at', 'service_csrf']);
    expect((await trusted.get('/auth/session')).json.user).toMatchObject({
      aal: 'aal2',
      mfa_verified_at,
      auth_method: 'password',
    });
    expect((await trusted.post('/auth/refresh')).status).toBe(200);
    expect(await trailOf(account.user_id)).toEqual([{ outcome: 'success', metadata: { method: 'totp' } }]);
  });

  it('verifying keeps the CSRF value of this session, which other tabs use, and replaces that of another session', async () => {
    const account = await enrolNew(app);
    const csrf = account.browser.jar.get('service_csrf')!;
    await account.browser.post('/auth/mfa/verify', { code: account.app.code() });
    expect(account.browser.jar.get('service_csrf')).toBe(csrf);
    expect((await account.browser.post('/guarded')).status).toBe(204);
    const foreign = (await registerUser(app)).browser.jar.get('service_csrf')!;
    const browser = createBrowser(app, new Map([['service_csrf', foreign]]));
    const { authorization } = bearer(account.access_token).headers;
    await browser.post('/auth/mfa/verify', { code: account.app.code(1) }, { headers: { authorization } });
    expect(browser.jar.get('service_csrf')).not.toBe(foreign);
    expect((await browser.post('/guarded')).status).toBe(204);
  });

  it('verifying does not undo a concurrent refresh of another tab', async () => {
    const account = await enrolNew(app);
    // Two concurrent requests of one browser: the response to the refresh arrives first.
    const other = createBrowser(app, new Map(account.browser.jar));
    await other.post('/auth/refresh');
    const refreshed = other.jar.get('service_rt')!;
    const answer = await account.browser.post('/auth/mfa/verify', { code: account.app.code() });
    expect(answer.status).toBe(200);
    account.browser.jar.set('service_rt', refreshed);
    for (const line of answer.set_cookies) expect(line).not.toContain('service_rt');
    app.clock.advance(11);
    expect((await account.browser.post('/auth/refresh')).status).toBe(200);
  });

  it('a request with only a Bearer token gets cookies; a browser that is signed in as another user keeps its own cookies', async () => {
    const account = await enrolNew(app);
    const other = await registerUser(app);
    const plain = await verify(app, account.access_token, { code: account.app.code() });
    expect(plain.set_cookies.map((line) => line.split('=')[0])).toEqual(['service_at', 'service_csrf']);
    const { authorization } = bearer(account.access_token).headers;
    const mixed = await other.browser.post(
      '/auth/mfa/verify',
      { code: account.app.code(1) },
      { headers: { authorization } },
    );
    expect(mixed.status).toBe(200);
    expect(mixed.set_cookies).toEqual([]);
  });

  it('verifying extends access_expires_at of the session to the expiry of the new access token', async () => {
    const account = await enrolNew(app);
    app.clock.advance(600);
    await verify(app, account.access_token, { code: account.app.code() });
    const { access_expires_at } = await findSession(app, account.session_id);
    expect(access_expires_at.getTime()).toBe(app.clock.now().getTime() + 900_000);
  });

  it('a recovery code is accepted, but only once', async () => {
    const account = await enrolNew(app);
    const [recovery_code] = account.recovery_codes;
    expect((await verify(app, account.access_token, { recovery_code })).status).toBe(200);
    expect((await verify(app, account.access_token, { recovery_code })).status).toBe(401);
    expect(await trailOf(account.user_id)).toEqual([
      { outcome: 'success', metadata: { method: 'recovery_code' } },
      { outcome: 'failure', metadata: { method: 'recovery_code' } },
    ]);
  });

  it('a code works once over verify and challenge', async () => {
    const account = await enrolNew(app);
    const code = account.app.code();
    expect((await verify(app, account.access_token, { code })).status).toBe(200);
    expect((await verify(app, account.access_token, { code })).status).toBe(401);
    expect((await challenge(app, await halfSignIn(app, account), { code })).status).toBe(401);
  });

  it('five wrong codes in a row: 429 for the right one for 15 minutes; recovery codes are counted separately', async () => {
    const account = await enrolNew(app);
    const guess = (answer: object) => verify(app, account.access_token, answer);
    for (let index = 0; index < 5; index++) expect((await guess({ code: account.app.wrong() })).status).toBe(401);
    const locked = await guess({ code: account.app.code() });
    expect([locked.status, locked.headers['retry-after']]).toEqual([429, '900']);
    expect((await guess({ recovery_code: account.recovery_codes[0] })).status).toBe(200);
    expect((await challenge(app, await halfSignIn(app, account), { code: account.app.code() })).status).toBe(200);
  });

  it('a code that was already used does not reset the count of wrong codes', async () => {
    const account = await enrolNew(app);
    const used = account.app.code();
    const guess = (code: string) => verify(app, account.access_token, { code });
    expect((await guess(used)).status).toBe(200);
    for (let index = 0; index < 4; index++) await guess(account.app.wrong());
    expect((await guess(used)).status).toBe(401);
    expect((await guess(account.app.code(1))).status).toBe(429);
  });

  it.each([
    [{}, 'code: is required, or recovery_code instead'],
    [{ code: '123456', recovery_code: 'x' }, 'recovery_code: must not be sent together with code'],
    [{ code: 'abcdef' }, 'code: must be 6 digits'],
    [{ code: 1 }, 'code: must be a string or null'],
  ])('400 for the body %j, with the reason', async (body, message) => {
    const { browser } = await enrolNew(app);
    const answer = await browser.post('/auth/mfa/verify', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toBe(message);
  });

  it('409 if MFA is off, 401 without a session, 403 without CSRF', async () => {
    const { browser } = await registerUser(app);
    expect((await browser.post('/auth/mfa/verify', { code: '123456' })).status).toBe(409);
    expect((await createBrowser(app).post('/auth/mfa/verify', { code: '123456' })).status).toBe(401);
    const refused = await browser.post('/auth/mfa/verify', { code: '123456' }, { csrf: false });
    expect(refused.json.error.code).toBe('csrf_failed');
  });

  it('ten concurrent requests with one code: one succeeds', async () => {
    const account = await enrolNew(app);
    const code = account.app.code();
    const { 200: good } = tally(await atOnce(10, () => verify(app, account.access_token, { code })));
    expect(good).toBe(1);
  });

  it('two concurrent requests with one recovery code, both verified as right: one succeeds', async () => {
    const account = await enrolNew(app);
    const [recovery_code] = account.recovery_codes;
    const letGo = await lockUserRow(app, account.user_id);
    const asked = atOnce(2, () => verify(app, account.access_token, { recovery_code: recovery_code! }));
    await untilBlocked(app, 2);
    await letGo();
    expect(tally(await asked)).toEqual({ 200: 1, 401: 1 });
  });

  it('a right code that a concurrent request consumed counts as wrong', async () => {
    const account = await enrolNew(app);
    const code = account.app.code();
    const letGo = await lockUserRow(app, account.user_id);
    const asked = [verify(app, account.access_token, { code }), verify(app, account.access_token, { code })];
    await untilBlocked(app, 2);
    await letGo();
    expect(tally(await Promise.all(asked))).toEqual({ 200: 1, 401: 1 });
    expect((await trailOf(account.user_id)).map(({ outcome }) => outcome).sort()).toEqual(['failure', 'success']);
    for (let index = 0; index < 4; index++) await verify(app, account.access_token, { code: account.app.wrong() });
    expect((await verify(app, account.access_token, { code: account.app.code(1) })).status).toBe(429);
  });

  it('a right code is rejected if concurrent wrong ones have reached the limit', async () => {
    const account = await enrolNew(app);
    const { limiter, config, db } = app.deps;
    const counter = limiter.counter('verify totp', account.user_id, config.LIMIT_SIGNED_IN_CHECK, { inRow: true });
    for (let index = 0; index < 4; index++) await verify(app, account.access_token, { code: account.app.wrong() });
    // The limit is reached after the right code was verified and before it is consumed.
    const blocker = await db.startTransaction().execute();
    await blocker.updateTable('rate_counters').set({ count: 5 }).where('key', '=', counter.key).execute();
    const asked = verify(app, account.access_token, { code: account.app.code() });
    await untilBlocked(app, 1);
    await blocker.commit().execute();
    expect((await asked).status).toBe(429);
  });

  it('a session that is ended concurrently is not verified, and the code is not consumed', async () => {
    const account = await enrolNew(app);
    const [recovery_code] = account.recovery_codes;
    const letGo = await lockUserRow(app, account.user_id);
    const asked = verify(app, account.access_token, { recovery_code });
    await untilBlocked(app, 1);
    const { db } = app.deps;
    await db
      .updateTable('sessions')
      .set({ revoked_at: app.clock.now() })
      .where('id', '=', account.session_id)
      .execute();
    await letGo();
    expect((await asked).status).toBe(401);
    expect((await challenge(app, await halfSignIn(app, account), { recovery_code })).status).toBe(200);
    expect(await liveSessions(app, account.user_id)).toHaveLength(1);
  });
});

describe('§5.7 step-up', () => {
  it('is granted for five minutes by challenge, verify and enable; a refresh never renews it', async () => {
    const account = await enrolNew(app);
    expect((await reach(account.access_token)).status).toBe(204);
    const browser = createBrowser(app);
    await browser.post('/auth/mfa/challenge', { mfa_token: await halfSignIn(app, account), code: account.app.code() });
    app.clock.advance(299);
    await browser.post('/auth/refresh');
    expect((await browser.post('/guarded')).status).toBe(204);
    app.clock.advance(2);
    await browser.post('/auth/refresh');
    const late = await browser.post('/guarded');
    expect([late.status, late.json.error.code]).toEqual([401, 'mfa_required']);
    await browser.post('/auth/mfa/verify', { code: account.app.code() });
    expect((await browser.post('/guarded')).status).toBe(204);
  });

  it('neither a password nor a trusted browser grants step-up', async () => {
    const plain = await registerUser(app);
    expect((await reach(plain.access_token)).json.error.code).toBe('mfa_required');
    const account = await enrolNew(app);
    const headers = { cookie: await trustBrowser(app, account.user_id) };
    const { json } = await createBrowser(app).post('/auth/login', account, { headers });
    expect(json.status).toBe('success');
    expect((await reach(json.access_token)).json.error.code).toBe('mfa_required');
  });

  it('applies to one session, not to the user', async () => {
    const account = await enrolNew(app);
    const headers = { cookie: await trustBrowser(app, account.user_id) };
    const { json } = await createBrowser(app).post('/auth/login', account, { headers });
    await verify(app, account.access_token, { code: account.app.code() });
    expect((await reach(json.access_token)).status).toBe(401);
  });
});

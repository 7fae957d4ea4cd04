import { describe, expect, it } from 'vitest';
import { atOnce, bearer, claimsOf, createBrowser, registerUser, signInAgain, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findSession,
  findUser,
  lockUserRow,
  setUser,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { challenge, createAuthenticatorApp, enrol, enrolNew, halfSignIn, verify } from '../../../test/second-factor.ts';

const app = useTestApp({ environment: { BRAND_NAME: 'Example Id' } });

const status = async (account: { browser: ReturnType<typeof createBrowser> }) =>
  (await account.browser.get('/auth/mfa/status')).json;
const setUp = async (account: { browser: ReturnType<typeof createBrowser> }) => {
  const { json } = await account.browser.post('/auth/mfa/setup');
  return { ...json, app: createAuthenticatorApp(app, json.secret) };
};
const secretOf = (user_id: string) =>
  app.deps.db.selectFrom('totp_secrets').selectAll().where('user_id', '=', user_id).executeTakeFirst();

describe('GET /auth/mfa/status', () => {
  it('the status shows whether MFA is enabled, and the number of recovery codes left', async () => {
    const account = await registerUser(app);
    expect(await status(account)).toEqual({
      enabled: false,
      enabled_at: null,
      recovery_codes_remaining: 0,
      mfa_verified_at: null,
    });
    const enrolled = await enrol(app, account);
    const now = app.clock.now().toISOString();
    const on = { enabled: true, enabled_at: now, recovery_codes_remaining: 10, mfa_verified_at: now };
    expect(await status(account)).toEqual(on);
    await verify(app, enrolled.access_token, { recovery_code: enrolled.recovery_codes[0] });
    expect(await status(account)).toEqual({ ...on, recovery_codes_remaining: 9 });
  });

  it('401 without a session', async () => {
    expect((await createBrowser(app).get('/auth/mfa/status')).status).toBe(401);
  });
});

describe('POST /auth/mfa/setup', () => {
  it('setup returns secret, otpauth URL and QR code; the secret is sealed, and MFA stays off', async () => {
    const account = await registerUser(app);
    const { secret, otpauth_url, qr_code } = await setUp(account);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(otpauth_url).toContain(`secret=${secret}`);
    expect(otpauth_url).toMatch(/^otpauth:\/\/totp\/Example%20Id:.*&issuer=Example%20Id&/);
    expect(otpauth_url).toContain(encodeURIComponent(account.email));
    expect(Buffer.from(qr_code.split(',')[1], 'base64').toString()).toMatch(/^<svg /);
    expect((await secretOf(account.user_id))!.sealed_secret).toMatch(/^v1:[0-9a-f]{16}:/);
    expect(await status(account)).toMatchObject({ enabled: false });
    expect((await createBrowser(app).post('/auth/login', account)).json.status).toBe('success');
  });

  it('a second setup replaces the first', async () => {
    const account = await registerUser(app);
    const first = await setUp(account);
    const second = await setUp(account);
    expect(second.secret).not.toBe(first.secret);
    expect((await account.browser.post('/auth/mfa/enable', { code: first.app.code() })).status).toBe(401);
    expect((await account.browser.post('/auth/mfa/enable', { code: second.app.code() })).status).toBe(200);
  });

  it('setup is 409 if MFA is on, which stays unchanged', async () => {
    const account = await enrolNew(app);
    const answer = await account.browser.post('/auth/mfa/setup');
    expect(answer.status).toBe(409);
    expect(answer.json.error).toMatchObject({ code: 'conflict', message: 'MFA is already enabled' });
    expect((await verify(app, account.access_token, { code: account.app.code() })).status).toBe(200);
  });

  it('401 without a session, 403 without CSRF', async () => {
    expect((await createBrowser(app).post('/auth/mfa/setup')).status).toBe(401);
    const { browser } = await registerUser(app);
    expect((await browser.post('/auth/mfa/setup', undefined, { csrf: false })).json.error.code).toBe('csrf_failed');
  });
});

describe('POST /auth/mfa/enable', () => {
  it('enable: MFA is on; this session becomes aal2 and verified, with a new token; other sessions are unchanged', async () => {
    const account = await registerUser(app);
    const other = await signInAgain(app, account);
    const setup = await setUp(account);
    app.clock.advance(5);
    const answer = await account.browser.post('/auth/mfa/enable', { code: setup.app.code() });
    expect(answer.status).toBe(200);
    const now = app.clock.now();
    expect(answer.json).toEqual({
      recovery_codes: expect.any(Array),
      mfa_verified_at: now.toISOString(),
      access_token: expect.any(String),
      expires_in: 900,
    });
    expect(new Set(answer.json.recovery_codes).size).toBe(10);
    expect(claimsOf(answer.json.access_token)).toMatchObject({ sid: account.session_id, aal: 'aal2' });
    expect(claimsOf(account.browser.jar.get('service_at')!)).toMatchObject({ aal: 'aal2' });
    const session = await account.browser.get('/auth/session');
    expect(session.json.user).toMatchObject({
      aal: 'aal2',
      mfa_verified_at: now.toISOString(),
      auth_method: 'password',
    });
    expect((await other.get('/auth/session')).json.user).toMatchObject({ aal: 'aal1', mfa_verified_at: null });
    expect((await findUser(app, account.user_id)).mfa_enabled_at).toEqual(now);
    const [row] = await auditOf(app, { actor_id: account.user_id, action: 'mfa.enabled' });
    expect(row).toMatchObject({ outcome: 'success', resource_id: account.user_id, metadata: {} });
  });

  it('enable sets new access and CSRF cookies, and keeps the refresh token', async () => {
    const account = await registerUser(app);
    const refresh = account.browser.jar.get('service_rt');
    const setup = await setUp(account);
    const answer = await account.browser.post('/auth/mfa/enable', { code: setup.app.code() });
    expect(answer.set_cookies.map((line) => line.split('=')[0])).toEqual(['service_at', 'service_csrf']);
    expect(account.browser.jar.get('service_rt')).toBe(refresh);
    expect((await account.browser.post('/auth/refresh')).status).toBe(200);
    expect(claimsOf(account.browser.jar.get('service_at')!)).toMatchObject({ aal: 'aal2' });
  });

  it('the recovery codes are stored as hashes', async () => {
    const { user_id, recovery_codes } = await enrolNew(app);
    const rows = await app.deps.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', user_id).execute();
    expect(rows).toHaveLength(10);
    expect(JSON.stringify(rows)).not.toContain(recovery_codes[0]!.slice(0, 4));
    expect(rows.every(({ code_hash }) => code_hash.length === 32)).toBe(true);
  });

  it('enable revokes trusted browsers', async () => {
    const account = await registerUser(app);
    const cookie = await trustBrowser(app, account.user_id);
    await enrol(app, account);
    const answer = await createBrowser(app).post('/auth/login', account, { headers: { cookie } });
    expect(answer.json.status).toBe('mfa_required');
  });

  it('the code that enabled MFA is accepted neither at challenge nor at verify', async () => {
    const account = await registerUser(app);
    const setup = await setUp(account);
    const code = setup.app.code();
    await account.browser.post('/auth/mfa/enable', { code });
    expect((await account.browser.post('/auth/mfa/verify', { code })).status).toBe(401);
    expect((await challenge(app, await halfSignIn(app, account), { code })).status).toBe(401);
    expect((await account.browser.post('/auth/mfa/verify', { code: setup.app.code(1) })).status).toBe(200);
  });

  it('enable: 401 for a wrong code; 429 after five in a row, also for the right one, for 15 minutes', async () => {
    const account = await registerUser(app);
    const setup = await setUp(account);
    const guess = (code: string) => account.browser.post('/auth/mfa/enable', { code });
    const answers = [];
    for (let index = 0; index < 5; index++) answers.push(await guess(setup.app.wrong()));
    expect(tally(answers)).toEqual({ 401: 5 });
    const locked = await guess(setup.app.code());
    expect(locked.status).toBe(429);
    expect(locked.headers['retry-after']).toBe('900');
    expect(await auditOf(app, { actor_id: account.user_id, action: 'mfa.enabled' })).toHaveLength(5);
    app.clock.advance(900);
    await account.browser.post('/auth/refresh');
    const again = await setUp(account);
    expect((await guess(again.app.code())).status).toBe(200);
  });

  it.each([
    [{}, 'code: is required'],
    [{ code: null }, 'code: must be a string'],
    [{ code: 123456 }, 'code: must be a string'],
    [{ code: '12345' }, 'code: must be 6 digits'],
    [{ code: 'abcdef' }, 'code: must be 6 digits'],
    [{ code: '123456\u0000' }, 'code: must not contain control characters or invalid Unicode'],
  ])('enable: 400 for the body %j, with the reason', async (body, message) => {
    const { browser } = await registerUser(app);
    const answer = await browser.post('/auth/mfa/enable', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });

  it('enable: 409 if MFA is on, without a setup, and for a setup older than ten minutes', async () => {
    const enrolled = await enrolNew(app);
    const again = await enrolled.browser.post('/auth/mfa/enable', { code: enrolled.app.code() });
    expect(again.json.error).toMatchObject({ code: 'conflict', message: 'MFA is already enabled' });
    const account = await registerUser(app);
    expect((await account.browser.post('/auth/mfa/enable', { code: '123456' })).status).toBe(409);
    const setup = await setUp(account);
    app.clock.advance(600);
    const late = await account.browser.post('/auth/mfa/enable', { code: setup.app.code() });
    expect(late.status).toBe(409);
    expect(late.json.error.message).toContain('/auth/mfa/setup');
  });

  it('a code of the first setup does not enable a concurrent second one', async () => {
    const account = await registerUser(app);
    const first = await setUp(account);
    const letGo = await lockUserRow(app, account.user_id);
    const begun = account.browser.post('/auth/mfa/setup');
    await untilBlocked(app, 1);
    const asked = createBrowser(app).post('/auth/mfa/enable', { code: first.app.code() }, bearer(account.access_token));
    await untilBlocked(app, 2);
    await letGo();
    const { secret } = (await begun).json;
    expect((await asked).status).toBe(409);
    expect(await status(account)).toMatchObject({ enabled: false });
    const second = createAuthenticatorApp(app, secret);
    expect((await account.browser.post('/auth/mfa/enable', { code: second.code() })).status).toBe(200);
  });

  it('ten concurrent requests to enable with one code: one succeeds', async () => {
    const account = await registerUser(app);
    const setup = await setUp(account);
    const code = setup.app.code();
    const answers = await atOnce(10, () =>
      createBrowser(app).post('/auth/mfa/enable', { code }, bearer(account.access_token)),
    );
    expect(tally(answers)).toEqual({ 200: 1, 409: 9 });
    const winner = answers.find(({ status }) => status === 200)!;
    const token = await halfSignIn(app, account);
    expect((await challenge(app, token, { recovery_code: winner.json.recovery_codes[9] })).status).toBe(200);
  });

  it('a session that has ended cannot enable MFA', async () => {
    const account = await registerUser(app);
    const setup = await setUp(account);
    await setUser(app, account.user_id, { status: 'disabled' });
    const answer = await createBrowser(app).post(
      '/auth/mfa/enable',
      { code: setup.app.code() },
      bearer(account.access_token),
    );
    expect(answer.status).toBe(401);
    await app.deps.db
      .updateTable('sessions')
      .set({ revoked_at: app.clock.now() })
      .where('id', '=', account.session_id)
      .execute();
    await setUser(app, account.user_id, { status: 'active' });
    const ended = await createBrowser(app).post(
      '/auth/mfa/enable',
      { code: setup.app.code() },
      bearer(account.access_token),
    );
    expect(ended.status).toBe(401);
    expect((await findUser(app, account.user_id)).mfa_enabled_at).toBeNull();
    expect((await findSession(app, account.session_id)).aal).toBe('aal1');
  });
});

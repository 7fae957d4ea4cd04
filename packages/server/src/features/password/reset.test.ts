import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  addPasskey,
  beginSigningIn,
  createAuthenticator,
  type Keyholder,
  withPasskey,
} from '../../../test/authenticator.ts';
import {
  atOnce,
  bearer,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  signInAgain,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findUser,
  kindsOf,
  knowToken,
  liveSessions,
  lockUserRow,
  revocationsOf,
  setUser,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';

const app = useTestApp();

const NEW = 'another correct horse';
const post = (path: string, body: unknown) => createBrowser(app).post(path, body);
const reset = (token: unknown, new_password: unknown = NEW) => post('/auth/password/reset', { token, new_password });
const preview = (token: unknown) => post('/auth/password/reset/preview', { token });
const login = (email: string, given: string) => post('/auth/login', { email, password: given });
const resetsOf = (user_id: string) => auditOf(app, { actor_id: user_id, action: 'auth.password_reset.consumed' });
const verificationsOf = (user_id: string) => auditOf(app, { actor_id: user_id, action: 'auth.email.verified' });
const withLink = async (given: TestUser | undefined = undefined): Promise<TestUser & { token: string }> => {
  const account = given ?? (await registerUser(app));
  expect((await post('/auth/password/forgot', { email: account.email })).status).toBe(204);
  return { ...account, token: await app.mailbox.takeToken(account.email, 'reset-password') };
};

describe('§4.7 POST /auth/password/reset', () => {
  it('a reset is 204: the password and the time of its change are stored, the email is verified, a notice is sent', async () => {
    const account = await withLink();
    app.clock.advance(60);
    const answer = await reset(account.token);
    expect(answer).toMatchObject({ status: 204, text: '', set_cookies: [] });
    expect(await findUser(app, account.user_id)).toMatchObject({
      last_password_change_at: app.clock.now(),
      email_verified_at: app.clock.now(),
      updated_at: app.clock.now(),
      password_hash: expect.stringMatching(/^\$argon2id\$/),
    });
    expect((await login(account.email, PASSWORD)).status).toBe(401);
    expect((await login(account.email, NEW)).json).toMatchObject({ status: 'success', user: { email_verified: true } });
    expect((await app.mailbox.take(account.email)).map(({ subject }) => subject)).toEqual([
      'Your password was changed',
    ]);
    expect(await resetsOf(account.user_id)).toMatchObject([
      { outcome: 'success', organization_id: account.organization_id, resource_id: account.user_id, metadata: {} },
    ]);
    expect(await verificationsOf(account.user_id)).toMatchObject([
      { outcome: 'success', organization_id: account.organization_id, resource_id: account.user_id, metadata: {} },
    ]);
  });

  it('an email that was verified before the reset keeps the time of its verification', async () => {
    const account = await withLink();
    const verified = new Date('2029-01-01T00:00:00Z');
    await setUser(app, account.user_id, { email_verified_at: verified });
    await reset(account.token);
    expect((await findUser(app, account.user_id)).email_verified_at).toEqual(verified);
    expect(await verificationsOf(account.user_id)).toEqual([]);
  });

  it('a reset ends every session at once, by cookie, Bearer and refresh, and the feed lists them', async () => {
    const account = await registerUser(app);
    const second = await signInAgain(app, account);
    expect((await second.get('/auth/session')).status).toBe(200);
    const { token } = await withLink(account);
    await reset(token);
    for (const browser of [account.browser, second]) {
      expect((await browser.get('/auth/session')).status).toBe(401);
      expect((await browser.post('/auth/refresh')).status).toBe(401);
    }
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).status).toBe(401);
    expect(await liveSessions(app, account.user_id)).toEqual([]);
    expect(await revocationsOf(app, account.session_id)).toHaveLength(1);
  });

  it('a reset revokes trusted browsers and deletes their key material', async () => {
    const account = await withLink();
    await trustBrowser(app, account.user_id);
    await reset(account.token);
    const rows = await app.deps.db
      .selectFrom('trusted_browsers')
      .selectAll()
      .where('user_id', '=', account.user_id)
      .execute();
    expect(rows).toMatchObject([{ token_hash: null, revoked_at: app.clock.now() }]);
  });

  it('a reset sends one mail for all removed passkeys', async () => {
    const account = await withPasskey(app, createAuthenticator());
    for (const name of ['Second', 'Third']) await addPasskey(account.browser, createAuthenticator(), { name });
    await app.mailbox.take(account.email);
    const { token } = await withLink(account);
    expect((await reset(token)).status).toBe(204);
    const subjects = (await app.mailbox.take(account.email)).map(({ subject }) => subject);
    expect(subjects.sort()).toEqual(['Passkeys were removed from your account', 'Your password was changed']);
  });

  it('a reset removes passkeys if the email was unverified, because someone else may have registered the account', async () => {
    const passkeys = (user_id: string) =>
      app.deps.db.selectFrom('passkeys').selectAll().where('user_id', '=', user_id).execute();
    const signIn = async ({ device, email }: Keyholder) => {
      const credential = device.get(await beginSigningIn(app, email));
      return (await post('/auth/passkey/login/complete', { credential })).status;
    };
    const [attacker, owner, other] = [await withPasskey(app), await withPasskey(app), await withPasskey(app)];
    for (const { email } of [attacker, owner]) await app.mailbox.take(email);
    await setUser(app, owner.user_id, { email_verified_at: app.clock.now() });
    for (const account of [attacker, owner]) await reset((await withLink(account)).token);
    expect(await passkeys(attacker.user_id)).toMatchObject([
      { credential_id: null, public_key: null, revoked_at: app.clock.now() },
    ]);
    expect(await signIn(attacker)).toBe(401);
    expect(await passkeys(owner.user_id)).toMatchObject([{ revoked_at: null }]);
    expect(await signIn(owner)).toBe(200);
    expect(await signIn(other)).toBe(200);
    // The first reset verified the email, so later credentials stay.
    const browser = createBrowser(app);
    await browser.post('/auth/login', { email: attacker.email, password: NEW });
    const device = createAuthenticator();
    expect((await addPasskey(browser, device)).status).toBe(201);
    await app.mailbox.take(attacker.email);
    await reset((await withLink(attacker)).token, `${NEW} again`);
    expect(await signIn({ ...attacker, device })).toBe(200);
  });

  it('a reset removes linked identities if the email was unverified, including their key material', async () => {
    const { db } = app.deps;
    const identities = (user_id: string) =>
      db.selectFrom('identities').selectAll().where('user_id', '=', user_id).execute();
    const [attacker, owner, other] = [await withLink(), await withLink(), await registerUser(app)];
    await setUser(app, owner.user_id, { email_verified_at: app.clock.now() });
    const linked_at = app.clock.now();
    for (const { user_id, email } of [attacker, owner, other]) {
      const row = { id: uuid(), user_id, provider: 'oauth_a', issuer: 'https://accounts.google.com' } as const;
      await db
        .insertInto('identities')
        .values({ ...row, subject: user_id, email, linked_at })
        .execute();
    }
    app.clock.advance(1);
    for (const { token } of [attacker, owner]) expect((await reset(token)).status).toBe(204);
    const revoked_at = app.clock.now();
    expect(await identities(attacker.user_id)).toMatchObject([{ subject: null, email: null, linked_at, revoked_at }]);
    for (const { user_id, email } of [owner, other]) {
      expect(await identities(user_id)).toMatchObject([{ subject: user_id, email, revoked_at: null }]);
    }
  });

  it('a reset invalidates codes and a pending change of email, which an attacker may have started', async () => {
    const account = await registerUser(app);
    await app.mailbox.take(account.email);
    const target = newEmail('attacker');
    expect((await account.browser.post('/users/me/email', { email: target, password: PASSWORD })).status).toBe(204);
    const thiefs = await app.mailbox.takeToken(target, 'verify-email');
    await post('/auth/email-otp/request', { email: account.email });
    const code = await app.mailbox.takeCode(account.email);
    const { token } = await withLink(account);
    expect(await kindsOf(app, account.user_id)).toEqual([
      'email_change',
      'email_verification',
      'login_code',
      'password_reset',
    ]);
    await reset(token);
    expect(await kindsOf(app, account.user_id)).toEqual(['email_verification']);
    expect((await post('/auth/email/verify', { token: thiefs })).status).toBe(401);
    expect((await post('/auth/email-otp/verify', { email: account.email, code })).status).toBe(401);
    expect((await findUser(app, account.user_id)).email).toBe(account.email);
  });

  it('a reset keeps the second factor', async () => {
    const account = await withLink();
    await setUser(app, account.user_id, { mfa_enabled_at: app.clock.now() });
    await reset(account.token);
    expect((await login(account.email, NEW)).json.status).toBe('mfa_required');
  });

  it('a reset sets the first password of an account without one', async () => {
    const account = await withLink();
    await setUser(app, account.user_id, { password_hash: null });
    expect((await reset(account.token)).status).toBe(204);
    expect((await login(account.email, NEW)).status).toBe(200);
  });

  it.each([
    [{ new_password: NEW }, 'token: is required'],
    [{ token: '', new_password: NEW }, 'token: must not be empty'],
    [{ token: 1, new_password: NEW }, 'token: must be a string'],
    [{ token: 'a b', new_password: NEW }, 'token: must be printable characters without spaces'],
    [{ token: 'x' }, 'new_password: is required'],
    [{ token: 'x', new_password: 'short' }, 'new_password: must be 12 to 256 characters'],
    [{ token: 'x', new_password: 'x'.repeat(257) }, 'new_password: must be 12 to 256 characters'],
    [
      '{"token":"x\\u0000","new_password":"another correct horse"}',
      'token: must be printable characters without spaces',
    ],
    ['{"token":"x","new_password":"another correct\\ud800"}', 'new_password: must not contain invalid Unicode'],
    [
      '{"__proto__":{"token":"x","new_password":"another correct horse"}}',
      'token: is required; new_password: is required',
    ],
    [[], 'body: must be a JSON object'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await post('/auth/password/reset', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });

  it('a password of invalid length does not consume the token; 12 and 256 characters are accepted', async () => {
    const account = await withLink();
    expect((await reset(account.token, 'x'.repeat(11))).status).toBe(400);
    expect((await reset(account.token, '🔑'.repeat(12))).status).toBe(204);
    expect((await login(account.email, '🔑'.repeat(12))).status).toBe(200);
    const other = await withLink();
    expect((await reset(other.token, 'x'.repeat(256))).status).toBe(204);
  });

  it('the same 401 for a token that is unknown, used, expired, for another purpose or for a former email', async () => {
    const used = await withLink();
    await reset(used.token);
    const verification = await registerUser(app);
    const foreign = await app.mailbox.takeToken(verification.email, 'verify-email');
    const moved = await withLink();
    await setUser(app, moved.user_id, { email: newEmail('moved') });
    const expired = await withLink();
    app.clock.advance(3600);
    const answers = [];
    for (const token of [randomToken(), 'x', used.token, foreign, moved.token, expired.token]) {
      answers.push(await reset(token), await preview(token));
    }
    for (const { status, text } of answers) expect({ status, text }).toEqual({ status: 401, text: answers[0]!.text });
    expect(answers[0]!.json.error.code).toBe('authentication_required');
  });

  it('the link is valid until a second before its expiry', async () => {
    const account = await withLink();
    app.clock.advance(3599);
    expect((await reset(account.token)).status).toBe(204);
  });

  it('404 for a deleted user, 401 for a disabled one, and nothing changes', async () => {
    const [deleted, disabled] = [await withLink(), await withLink()];
    await setUser(app, deleted.user_id, { status: 'deleted' });
    await setUser(app, disabled.user_id, { status: 'disabled' });
    app.clock.advance(1);
    const gone = await reset(deleted.token);
    expect(gone.status).toBe(404);
    expect(gone.json.error.code).toBe('not_found');
    expect((await reset(disabled.token)).status).toBe(401);
    expect([(await preview(deleted.token)).status, (await preview(disabled.token)).status]).toEqual([404, 401]);
    for (const { user_id } of [deleted, disabled]) {
      expect((await findUser(app, user_id)).last_password_change_at).not.toEqual(app.clock.now());
      expect(await resetsOf(user_id)).toEqual([]);
    }
  });

  it('computes no hash for an invalid token', async () => {
    const { passwords } = app.deps;
    const hash = passwords.hash;
    let hashes = 0;
    passwords.hash = (given, who) => {
      hashes++;
      return hash(given, who);
    };
    for (let index = 0; index < 10; index++) await reset(randomToken());
    passwords.hash = hash;
    expect(hashes).toBe(0);
  });

  it('neither token nor password is in a log line, an audit row or a table', async () => {
    const account = await withLink();
    const secret = 'a password nobody has seen';
    await reset(account.token, secret);
    await reset(account.token, secret);
    await app.mailbox.settle();
    const tables = ['audit_events', 'one_time_tokens', 'users', 'mails'] as const;
    const rows = await Promise.all(tables.map((table) => app.deps.db.selectFrom(table).selectAll().execute()));
    const written = JSON.stringify([app.logs, rows]);
    expect(written).not.toContain(account.token);
    expect(written).not.toContain(secret);
  });

  it('in production a reset makes the account of INITIAL_OWNER_EMAIL platform owner, with a verified email', async () => {
    const email = newEmail('owner');
    const owned = await startTestApp({
      environment: {
        NODE_ENV: 'production',
        PUBLIC_BASE_URL: 'https://id.example.com',
        INITIAL_OWNER_EMAIL: email,
        SMTP_URL: 'smtp://127.0.0.1:9',
      },
    });
    const account = await registerUser(owned, { email });
    const roleOf = async () => (await findUser(owned, account.user_id)).platform_role;
    expect(await roleOf()).toBeNull();
    // This service has no mail server, so the test inserts the hash of a known token.
    await createBrowser(owned).post('/auth/password/forgot', { email });
    const token = await knowToken(owned, account.user_id, 'password_reset');
    const answer = await createBrowser(owned).post('/auth/password/reset', { token, new_password: NEW });
    expect(answer.status).toBe(204);
    expect(await roleOf()).toBe('owner');
    await owned.close();
  });
});

describe('POST /auth/password/reset/preview', () => {
  it('returns the email of the account and leaves the link valid', async () => {
    const { email, token } = await withLink();
    expect((await preview(token)).json).toEqual({ email });
    expect((await reset(token)).status).toBe(204);
  });

  it.each([{}, { token: '' }, { token: 7 }])('400 for %j, and names the field', async (body) => {
    const { status, json } = await post('/auth/password/reset/preview', body);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining('token')]);
  });
});

describe('concurrent resets', () => {
  it('of ten concurrent resets with one token one is 204 and the others are 401; one audit row is written', async () => {
    const account = await withLink();
    const answers = await atOnce(10, (index) => reset(account.token, `${NEW} ${index}`));
    expect(tally(answers)).toEqual({ 204: 1, 401: 9 });
    expect(await resetsOf(account.user_id)).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 204);
    expect((await login(account.email, `${NEW} ${winner}`)).status).toBe(200);
  });

  it('sign-ins with the old password during a reset leave no active session', async () => {
    for (let round = 0; round < 2; round++) {
      const account = await withLink();
      const [done, answers] = await Promise.all([
        reset(account.token),
        atOnce(6, () => login(account.email, PASSWORD)),
      ]);
      expect(done.status).toBe(204);
      for (const { status } of answers) expect([200, 401]).toContain(status);
      expect(await liveSessions(app, account.user_id)).toEqual([]);
    }
  });

  it('a sign-in by code and a reset that wait for the same user do not deadlock', async () => {
    const account = await withLink();
    await post('/auth/email-otp/request', { email: account.email });
    const code = await app.mailbox.takeCode(account.email);
    const release = await lockUserRow(app, account.user_id);
    const resetting = reset(account.token);
    await untilBlocked(app, 1);
    const signingIn = post('/auth/email-otp/verify', { email: account.email, code });
    await untilBlocked(app, 2);
    await release();
    expect((await resetting).status).toBe(204);
    expect((await signingIn).status).toBe(401);
    expect(await liveSessions(app, account.user_id)).toEqual([]);
  });

  it('sign-ins by code during a reset leave no active session', async () => {
    for (let round = 0; round < 2; round++) {
      const account = await withLink();
      await post('/auth/email-otp/request', { email: account.email });
      const code = await app.mailbox.takeCode(account.email);
      const verify = () => post('/auth/email-otp/verify', { email: account.email, code });
      const [done, answers] = await Promise.all([reset(account.token), atOnce(3, verify)]);
      expect(done.status).toBe(204);
      for (const { status } of answers) expect([200, 401]).toContain(status);
      expect(await liveSessions(app, account.user_id)).toEqual([]);
    }
  });

  it('a change of email with the old password during a reset is rejected or invalidated', async () => {
    for (let round = 0; round < 2; round++) {
      const account = await withLink();
      const target = newEmail('attacker');
      const change = () => account.browser.post('/users/me/email', { email: target, password: PASSWORD });
      const [done, changed] = await Promise.all([reset(account.token), change()]);
      expect(done.status).toBe(204);
      expect([204, 401]).toContain(changed.status);
      expect(await kindsOf(app, account.user_id)).toEqual(['email_verification']);
    }
  });

  it('a password that was checked before a reset cannot request a change of email after it', async () => {
    const account = await withLink();
    const { limiter } = app.deps;
    const hit = limiter.hit;
    // The reset commits between password check and write.
    limiter.hit = async (...counters) => {
      limiter.hit = hit;
      expect((await reset(account.token)).status).toBe(204);
      return hit(...counters);
    };
    const email = newEmail('attacker');
    const answer = await account.browser.post('/users/me/email', { email, password: PASSWORD });
    expect(answer.status).toBe(401);
    expect(await kindsOf(app, account.user_id)).toEqual(['email_verification']);
    expect(await app.mailbox.take(email)).toEqual([]);
  });
});

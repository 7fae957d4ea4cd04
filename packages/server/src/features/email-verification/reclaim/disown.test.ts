import { describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, registerUser } from '../../../../test/browser.ts';
import { useTestApp } from '../../../../test/harness.ts';
import { auditOf, findUser, knowToken, oneTimeTokensOf, setUser } from '../../../../test/records.ts';
import { givePolicy } from '../../policy/policy-fixture.ts';
import { leftIn, NOTHING_LEFT, newCode, squat } from './squat-fixture.ts';

const app = useTestApp();

const verify = (body: object) => createBrowser(app).post('/auth/email/verify', body);
const reset = (body: object) => createBrowser(app).post('/auth/password/reset', { new_password: NEW, ...body });
const NEW = 'chosen by the owner of the mailbox';
const reclaimed = (user_id: string) => auditOf(app, { resource_id: user_id, action: 'account.reclaimed' });
const removed = (user_id: string) =>
  auditOf(app, { actor_id: user_id, action: ['passkey.removed', 'auth.oauth.unlinked'] });

describe('POST /auth/email/verify with disown', () => {
  it('verifying with disown verifies the email and removes everything unproven, all sessions included', async () => {
    const { user_id, factor, browser } = await squat(app, { mfa: true });
    const token = await knowToken(app, user_id, 'email_verification');
    expect((await verify({ token, disown: true })).status).toBe(204);
    expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
    expect((await findUser(app, user_id)).email_verified_at).not.toBeNull();
    expect((await browser.get('/auth/session')).status).toBe(401);
    const challenge = { mfa_token: factor!.mfa_token, recovery_code: factor!.recovery_codes[0] };
    expect((await createBrowser(app).post('/auth/mfa/challenge', challenge)).status).toBe(401);
    expect(await reclaimed(user_id)).toMatchObject([
      { actor_id: user_id, metadata: { passkeys: 1, identities: 1, sessions: 1, trusted_browsers: 1 } },
    ]);
    expect((await removed(user_id)).map(({ action }) => action)).toEqual(['passkey.removed', 'auth.oauth.unlinked']);
    expect((await verify({ token, disown: true })).status).toBe(401);
  });

  it.each([
    ['verifying', 'email_verification'],
    ['a reset', 'password_reset'],
  ] as const)('%s with disown resets a policy that keeps the owner of the mailbox out', async (_, kind) => {
    const { user_id, email, organization_id } = await registerUser(app);
    await givePolicy(app, organization_id, { allowed_networks: ['192.0.2.0/24'] });
    const signIn = async () =>
      createBrowser(app).post('/auth/email-otp/verify', { email, code: await newCode(app, email) });
    expect((await signIn()).status).toBe(403);
    if (kind === 'password_reset') await createBrowser(app).post('/auth/password/forgot', { email });
    const token = await knowToken(app, user_id, kind);
    const ask = kind === 'password_reset' ? reset : verify;
    expect((await ask({ token, disown: true })).status).toBe(204);
    expect((await signIn()).status).toBe(200);
  });

  it('verifying with disown also ends the session of the request', async () => {
    const { user_id, browser } = await registerUser(app);
    const token = await knowToken(app, user_id, 'email_verification');
    expect((await browser.post('/auth/email/verify', { token, disown: true })).status).toBe(204);
    expect((await browser.get('/auth/session')).status).toBe(401);
  });

  it('verifying with disown removes nothing from an account that is already verified', async () => {
    const { user_id } = await squat(app, { mfa: true });
    const token = await knowToken(app, user_id, 'email_verification');
    await setUser(app, user_id, { email_verified_at: app.clock.now() });
    const before = await leftIn(app, user_id);
    expect((await verify({ token, disown: true })).status).toBe(204);
    const one_time = before.one_time.filter((kind) => kind !== 'email_verification');
    expect(await leftIn(app, user_id)).toEqual({ ...before, one_time });
    expect(await reclaimed(user_id)).toEqual([]);
  });

  it('disown invalidates a link that changes the email, and changes nothing else', async () => {
    const { user_id, email, browser } = await registerUser(app);
    await browser.post('/users/me/email', { email: newEmail('other'), password: PASSWORD });
    const token = await knowToken(app, user_id, 'email_change');
    const before = await leftIn(app, user_id);
    expect((await verify({ token, disown: true })).status).toBe(204);
    expect(await findUser(app, user_id)).toMatchObject({ email, email_verified_at: null });
    expect(await leftIn(app, user_id)).toEqual({ ...before, one_time: ['email_verification'] });
    expect((await verify({ token })).status).toBe(401);
    expect(await reclaimed(user_id)).toEqual([]);
  });

  it.each([undefined, false])('verifying removes nothing with disown %s', async (disown) => {
    const { user_id } = await squat(app, { mfa: true });
    const token = await knowToken(app, user_id, 'email_verification');
    const before = await leftIn(app, user_id);
    expect((await verify({ token, disown })).status).toBe(204);
    const one_time = before.one_time.filter((kind) => kind !== 'email_verification');
    expect(await leftIn(app, user_id)).toEqual({ ...before, one_time });
  });

  it.each(['true', 1, {}, []])('400 if disown is not a boolean: %j', async (disown) => {
    const { user_id } = await registerUser(app);
    const token = await knowToken(app, user_id, 'email_verification');
    expect(await verify({ token, disown })).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
    expect(await oneTimeTokensOf(app, user_id, 'email_verification')).toHaveLength(1);
  });
});

describe('POST /auth/password/reset of an account whose email is not verified', () => {
  it('a reset keeps the second factor without disown, and audits each passkey and identity', async () => {
    const { user_id } = await squat(app, { mfa: true });
    const token = await knowToken(app, user_id, 'password_reset');
    expect((await reset({ token })).status).toBe(204);
    expect(await leftIn(app, user_id)).toEqual({
      ...NOTHING_LEFT,
      password: true,
      mfa: true,
      totp: 1,
      recovery_codes: 10,
      one_time: ['email_verification'],
    });
    expect((await removed(user_id)).map(({ action, metadata }) => [action, metadata])).toEqual([
      ['passkey.removed', {}],
      ['auth.oauth.unlinked', { provider: 'oauth_b' }],
    ]);
    expect(await reclaimed(user_id)).toEqual([]);
  });

  it('a reset removes the second factor with disown: the owner signs in with the new password alone', async () => {
    const { user_id, email, factor } = await squat(app, { mfa: true });
    const token = await knowToken(app, user_id, 'password_reset');
    expect((await reset({ token, disown: true })).status).toBe(204);
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, password: true });
    expect(await reclaimed(user_id)).toMatchObject([
      { metadata: { passkeys: 1, identities: 1, sessions: 1, trusted_browsers: 1 } },
    ]);
    const signedIn = await createBrowser(app).post('/auth/login', { email, password: NEW });
    expect(signedIn.json).toMatchObject({ status: 'success' });
    const challenge = { mfa_token: factor!.mfa_token, code: factor!.app.code() };
    expect((await createBrowser(app).post('/auth/mfa/challenge', challenge)).status).toBe(401);
  });

  it('a reset removes no passkey, identity or second factor from a verified account, with or without disown', async () => {
    const { user_id } = await squat(app, { mfa: true });
    await setUser(app, user_id, { email_verified_at: app.clock.now() });
    const token = await knowToken(app, user_id, 'password_reset');
    expect((await reset({ token, disown: true })).status).toBe(204);
    expect(await leftIn(app, user_id)).toMatchObject({ mfa: true, recovery_codes: 10, passkeys: 1, identities: 1 });
    expect([...(await removed(user_id)), ...(await reclaimed(user_id))]).toEqual([]);
  });

  it.each(['yes', 0])('400 for a reset if disown is not a boolean: %j', async (disown) => {
    const { user_id, email } = await registerUser(app);
    await createBrowser(app).post('/auth/password/forgot', { email });
    const token = await knowToken(app, user_id, 'password_reset');
    expect((await reset({ token, disown })).status).toBe(400);
    expect(await oneTimeTokensOf(app, user_id, 'password_reset')).toHaveLength(1);
  });
});

describe('POST /auth/email/verify/preview', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
  const preview = (token: string) => createBrowser(app).post('/auth/email/verify/preview', { token });
  const registerWith = async (user_agent: string) => {
    const body = { email: newEmail(), password: PASSWORD, organization_name: 'Example' };
    const answer = await createBrowser(app).post('/auth/register', body, { headers: { 'user-agent': user_agent } });
    const { user_id } = answer.json.user;
    return { user_id, email: body.email, token: await knowToken(app, user_id, 'email_verification') };
  };

  it('the preview shows when and with which device the account was created, and which credentials it has', async () => {
    const created_at = app.clock.now().toISOString();
    const { token, email, user_id } = await registerWith(FIREFOX);
    app.clock.advance(60);
    const account = { created_at, device: 'Firefox on Linux', unproven: true, credentials: ['password'] };
    expect((await preview(token)).json).toEqual({ email, kind: 'verification', account });
    await setUser(app, user_id, { email_verified_at: app.clock.now() });
    expect((await preview(token)).json.account).toMatchObject({ unproven: false });
  });

  it('the preview shows only known names of browsers and systems, because the attacker chooses the text of User-Agent', async () => {
    for (const chosen of ['evil.example', 'Call-us-now/1.0 (evil.example) x', 'https://evil.example/ now', '']) {
      const { token } = await registerWith(chosen);
      expect((await preview(token)).json.account.device).toBeNull();
    }
  });

  it('the preview of a link that changes the email reveals nothing about the account', async () => {
    const { user_id, browser } = await registerUser(app);
    const email = newEmail('other');
    await browser.post('/users/me/email', { email, password: PASSWORD });
    const { json } = await preview(await knowToken(app, user_id, 'email_change'));
    expect(json).toEqual({ email, kind: 'change' });
  });

  it('the preview lists credentials of every kind in a fixed order', async () => {
    const { user_id } = await squat(app, { mfa: true });
    const { json } = await preview(await knowToken(app, user_id, 'email_verification'));
    expect(json.account.credentials).toEqual(['identity', 'passkey', 'password', 'totp']);
  });
});

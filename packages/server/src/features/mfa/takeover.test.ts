import { describe, expect, it } from 'vitest';
import { type Browser, createBrowser, newEmail, PASSWORD, registerUser } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import {
  findUser,
  lockUserRow,
  oneTimeTokensOf,
  setSession,
  setUser,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { challenge, type Enrolled, enrol, enrolNew, halfSignIn } from '../../../test/second-factor.ts';
import { after } from '../../platform/clock.ts';

const app = useTestApp();

/** An attacker with the password and the cookie of a trusted browser, but no second factor. */
async function intrude(account: Enrolled): Promise<Browser> {
  const browser = createBrowser(app);
  const headers = { cookie: await trustBrowser(app, account.user_id) };
  const { json } = await browser.post('/auth/login', account, { headers });
  expect(json.user).toMatchObject({ aal: 'aal1', mfa_verified_at: null });
  return browser;
}

const codeOf = async (asked: ReturnType<Browser['post']>) => {
  const { status, json } = await asked;
  return [status, json?.error?.code];
};
const OWED = [401, 'mfa_required'];
const NEW_PASSWORD = 'another correct horse battery';
const change = (current_password: string) => ({ current_password, new_password: NEW_PASSWORD });

describe('a password and a trusted browser do not suffice', () => {
  it('password and trusted browser do not suffice to change password, email, MFA, recovery codes, passkeys or trusted browsers', async () => {
    const account = await enrolNew(app);
    const attacker = await intrude(account);
    const { password } = account;
    expect(await codeOf(attacker.post('/auth/mfa/recovery-codes', { password }))).toEqual(OWED);
    expect(await codeOf(attacker.post('/auth/mfa/disable', { password }))).toEqual(OWED);
    expect(await codeOf(attacker.post('/auth/trusted-browsers'))).toEqual(OWED);
    expect(await codeOf(attacker.post('/users/me/passkeys/register/begin'))).toEqual(OWED);
    expect(await codeOf(attacker.post('/users/me/password', change(password)))).toEqual(OWED);
    expect(await codeOf(attacker.post('/users/me/email', { email: newEmail(), password }))).toEqual(OWED);
    // The second factor is checked before the body, and no password attempt is counted.
    for (let index = 0; index < 6; index++) {
      expect(await codeOf(attacker.post('/users/me/password', change('a wrong password')))).toEqual(OWED);
    }
    expect((await findUser(app, account.user_id)).mfa_enabled_at).not.toBeNull();
    // With a second factor, the same requests succeed.
    expect((await attacker.post('/auth/mfa/verify', { recovery_code: account.recovery_codes[0] })).status).toBe(200);
    expect((await attacker.post('/users/me/email', { email: newEmail(), password })).status).toBe(204);
    expect((await attacker.post('/users/me/password', change(password))).status).toBe(204);
    expect((await attacker.post('/auth/mfa/disable', { password: NEW_PASSWORD })).status).toBe(204);
  });

  it('a password does not suffice for a new password or email if MFA is enabled while the password is checked', async () => {
    for (const [path, body] of [
      ['/users/me/password', change(PASSWORD)],
      ['/users/me/email', { email: newEmail(), password: PASSWORD }],
    ] as const) {
      const account = await registerUser(app);
      const { password_hash } = await findUser(app, account.user_id);
      const lock = await app.deps.db.startTransaction().execute();
      const mfa_enabled_at = app.clock.now();
      await lock.updateTable('users').set({ mfa_enabled_at }).where('id', '=', account.user_id).execute();
      const asked = account.browser.post(path, body);
      await untilBlocked(app, 1);
      await lock.commit().execute();
      expect(await codeOf(asked)).toEqual(OWED);
      expect((await findUser(app, account.user_id)).password_hash).toBe(password_hash);
      expect(await oneTimeTokensOf(app, account.user_id, 'email_change')).toEqual([]);
    }
  });

  it('password and trusted browser do not suffice for a platform admin to reset their own MFA', async () => {
    const account = await enrolNew(app);
    await setUser(app, account.user_id, { platform_role: 'admin' });
    const attacker = await intrude(account);
    const path = `/admin/users/${account.user_id}/mfa/reset`;
    expect(await codeOf(attacker.post(path))).toEqual(OWED);
    await attacker.post('/auth/mfa/verify', { recovery_code: account.recovery_codes[0] });
    expect((await attacker.post(path)).status).toBe(204);
  });
});

describe('changes while the password is checked', () => {
  it.each(['/auth/mfa/disable', '/auth/mfa/recovery-codes'])(
    '%s: 401 mfa_required if the session now needs a second factor',
    async (path) => {
      const account = await enrolNew(app);
      const letGo = await lockUserRow(app, account.user_id);
      const asked = account.browser.post(path, { password: account.password });
      await untilBlocked(app, 1);
      await setSession(app, account.session_id, { mfa_verified_at: null });
      await letGo();
      expect(await codeOf(asked)).toEqual(OWED);
    },
  );

  it('/auth/mfa/verify: 401 for a code of a secret that was replaced', async () => {
    const account = await enrolNew(app);
    const code = account.app.code();
    const letGo = await lockUserRow(app, account.user_id);
    const asked = account.browser.post('/auth/mfa/verify', { code });
    await untilBlocked(app, 1);
    const { db } = app.deps;
    const created_at = after(app.clock.now(), 1);
    await db.updateTable('totp_secrets').set({ created_at }).where('user_id', '=', account.user_id).execute();
    await letGo();
    expect((await asked).status).toBe(401);
  });

  it('a session from before an MFA reset needs the second factor that was set up after it', async () => {
    const boss = await registerUser(app);
    await setUser(app, boss.user_id, { platform_role: 'owner' });
    await boss.browser.post('/auth/login', boss);
    const account = await enrolNew(app);
    const browser = createBrowser(app);
    await browser.post('/auth/mfa/challenge', { mfa_token: await halfSignIn(app, account), code: account.app.code() });
    expect((await boss.browser.post(`/admin/users/${account.user_id}/mfa/reset`)).status).toBe(204);
    await enrol(app, account);
    const { password } = account;
    expect(await codeOf(browser.post('/auth/mfa/recovery-codes', { password }))).toEqual(OWED);
    expect(await codeOf(browser.post('/auth/trusted-browsers'))).toEqual(OWED);
  });
});

describe('an unattended browser', () => {
  it('an unattended browser cannot enable MFA: 15 minutes after the sign-in, setup requires fresh authentication', async () => {
    const account = await registerUser(app);
    app.clock.advance(15 * 60 + 1);
    await account.browser.post('/auth/refresh');
    expect(await codeOf(account.browser.post('/auth/mfa/setup'))).toEqual(OWED);
    expect(await codeOf(account.browser.post('/auth/mfa/enable', { code: '123456' }))).toEqual([409, 'conflict']);
  });
});

describe('a session that is ended concurrently does not suffice', () => {
  it.each(['/auth/mfa/disable', '/auth/mfa/recovery-codes'])(
    'a session that is ended concurrently does not suffice for %s',
    async (path) => {
      const account = await enrolNew(app);
      const letGo = await lockUserRow(app, account.user_id);
      const asked = account.browser.post(path, { password: account.password });
      await untilBlocked(app, 1);
      await setSession(app, account.session_id, { revoked_at: app.clock.now() });
      await letGo();
      expect((await asked).status).toBe(401);
      const token = await halfSignIn(app, account);
      expect((await challenge(app, token, { recovery_code: account.recovery_codes[0] })).status).toBe(200);
    },
  );
});

describe('notices that an attacker cannot suppress or cause', () => {
  it('disabling MFA that is already off does not count towards the limit of notices about other changes', async () => {
    const account = await registerUser(app);
    for (let index = 0; index < 12; index++) {
      await account.browser.post('/auth/mfa/disable', { password: account.password });
    }
    const new_password = 'another one entirely';
    await account.browser.post('/users/me/password', { current_password: account.password, new_password });
    const subjects = (await app.mailbox.take(account.email)).map(({ subject }) => subject);
    expect(subjects).toContainEqual(expect.stringMatching(/password was changed/i));
  });

  it('the notice that MFA is off is sent even if the mail limit of the client address is used up', async () => {
    const small = await startTestApp({ environment: { LIMIT_MAIL_PER_ADDRESS: '3/1h' } });
    const account = await enrolNew(small);
    for (let index = 0; index < 5; index++) {
      await createBrowser(small).post('/auth/password/forgot', { email: newEmail('made-up') });
    }
    await account.browser.post('/auth/mfa/disable', { password: account.password });
    const subjects = (await small.mailbox.take(account.email)).map(({ subject }) => subject);
    expect(subjects).toContainEqual(expect.stringMatching(/two-step/i));
    await small.close();
  });
});

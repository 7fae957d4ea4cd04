import { describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { atOnce, bearer, claimsOf, createBrowser, newEmail, registerUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findSession,
  findUser,
  lockUserRow,
  setSession,
  setUser,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { challenge, enrol, enrolNew, halfSignIn, verify } from '../../../test/second-factor.ts';

const app = useTestApp();

const WRONG = { password: 'not this one either' };
const subjectsTo = async (email: string) => (await app.mailbox.take(email)).map(({ subject }) => subject);
const rowsOf = async (user_id: string) => {
  const { db } = app.deps;
  const secrets = await db.selectFrom('totp_secrets').select('user_id').where('user_id', '=', user_id).execute();
  const codes = await db.selectFrom('recovery_codes').select('user_id').where('user_id', '=', user_id).execute();
  return secrets.length + codes.length;
};

const trustedBrowsersOf = async (user_id: string) => {
  const living = app.deps.db.selectFrom('trusted_browsers').select('id').where('revoked_at', 'is', null);
  return (await living.where('user_id', '=', user_id).execute()).length;
};

describe('POST /auth/mfa/disable', () => {
  it('disable is 204: removes secret, codes and trusted browsers, sends a mail; sign-in needs no second factor', async () => {
    const account = await enrolNew(app);
    const cookie = await trustBrowser(app, account.user_id);
    const answer = await account.browser.post('/auth/mfa/disable', { password: account.password });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await trustedBrowsersOf(account.user_id)).toBe(0);
    expect(await rowsOf(account.user_id)).toBe(0);
    expect((await findUser(app, account.user_id)).mfa_enabled_at).toBeNull();
    expect((await createBrowser(app).post('/auth/login', account)).json.status).toBe('success');
    expect(await subjectsTo(account.email)).toContainEqual(expect.stringMatching(/two-step/i));
    const again = await enrol(app, account);
    expect((await createBrowser(app).post('/auth/login', again, { headers: { cookie } })).json.status).toBe(
      'mfa_required',
    );
    expect(
      (await auditOf(app, { actor_id: account.user_id, action: 'mfa.disabled' })).map((row) => row.outcome),
    ).toEqual(['success']);
  });

  it('disable is 204 without audit if MFA is already off; the password is still checked', async () => {
    const account = await registerUser(app);
    await app.mailbox.take(account.email);
    expect((await account.browser.post('/auth/mfa/disable', { password: account.password })).status).toBe(204);
    expect(await subjectsTo(account.email)).toEqual([]);
    expect(await auditOf(app, { actor_id: account.user_id, action: 'mfa.disabled' })).toEqual([]);
    expect((await account.browser.post('/auth/mfa/disable', WRONG)).status).toBe(401);
  });

  it('a pending sign-in is not valid after MFA was disabled and enabled again', async () => {
    const account = await enrolNew(app);
    const token = await halfSignIn(app, account);
    await account.browser.post('/auth/mfa/disable', { password: account.password });
    const again = await enrol(app, account);
    expect((await challenge(app, token, { code: again.app.code() })).status).toBe(401);
    expect((await challenge(app, await halfSignIn(app, account), { code: again.app.code() })).status).toBe(200);
  });

  it('the eleventh disable in 24 hours is 429 and changes nothing; a reset by an administrator does not count', async () => {
    const account = await registerUser(app);
    const disable = () => account.browser.post('/auth/mfa/disable', { password: account.password });
    for (let index = 0; index < 10; index++) {
      await enrol(app, account);
      expect((await disable()).status).toBe(204);
    }
    await enrol(app, account);
    const over = await disable();
    expect([over.status, Number(over.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect((await findUser(app, account.user_id)).mfa_enabled_at).not.toBeNull();
    const admin = await insertAdministrator(app);
    expect((await admin.post(`/admin/users/${account.user_id}/mfa/reset`)).status).toBe(204);
  });

  it.each(['/auth/mfa/disable', '/auth/mfa/recovery-codes'])(
    '%s: 401 if the password was changed concurrently',
    async (path) => {
      const account = await enrolNew(app);
      const letGo = await lockUserRow(app, account.user_id);
      const asked = account.browser.post(path, { password: account.password });
      await untilBlocked(app, 1);
      const { password_hash } = await findUser(app, (await registerUser(app)).user_id);
      await letGo((tx) => tx.updateTable('users').set({ password_hash }).where('id', '=', account.user_id).execute());
      expect((await asked).status).toBe(401);
      expect((await findUser(app, account.user_id)).mfa_enabled_at).not.toBeNull();
      expect(
        (await challenge(app, await halfSignIn(app, account), { recovery_code: account.recovery_codes[0] })).status,
      ).toBe(200);
    },
  );

  it('disable removes a pending setup', async () => {
    const account = await registerUser(app);
    await account.browser.post('/auth/mfa/setup');
    await account.browser.post('/auth/mfa/disable', { password: account.password });
    expect(await rowsOf(account.user_id)).toBe(0);
  });

  it('disable: 401 for a wrong password, audited, without a change; 429 after five in a row', async () => {
    const account = await enrolNew(app);
    const answers = [];
    for (let index = 0; index < 6; index++) answers.push(await account.browser.post('/auth/mfa/disable', WRONG));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await account.browser.post('/auth/mfa/disable', { password: account.password })).status).toBe(429);
    expect((await findUser(app, account.user_id)).mfa_enabled_at).not.toBeNull();
    const rows = await auditOf(app, { actor_id: account.user_id, action: 'mfa.disabled' });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(5).fill('failure'));
  });

  it('to disable MFA, an account without a password needs a fresh sign-in or second factor instead', async () => {
    const account = await enrolNew(app);
    await setUser(app, account.user_id, { password_hash: null });
    app.clock.advance(301);
    const late = await account.browser.post('/auth/mfa/disable', {});
    expect([late.status, late.json.error.code]).toEqual([401, 'mfa_required']);
    await account.browser.post('/auth/mfa/verify', { code: account.app.code() });
    expect((await account.browser.post('/auth/mfa/disable', {})).status).toBe(204);
  });

  it('disable: 400 without the password, 401 without a session, 403 without CSRF', async () => {
    const account = await enrolNew(app);
    expect((await account.browser.post('/auth/mfa/disable', {})).json.error.message).toBe('password: is required');
    expect((await createBrowser(app).post('/auth/mfa/disable', WRONG)).status).toBe(401);
    const { password } = account;
    const refused = await account.browser.post('/auth/mfa/disable', { password }, { csrf: false });
    expect(refused.status).toBe(403);
  });
});

describe('POST /auth/mfa/recovery-codes', () => {
  it('requesting new recovery codes returns ten, invalidates the old ones, and is audited', async () => {
    const account = await enrolNew(app);
    const answer = await account.browser.post('/auth/mfa/recovery-codes', { password: account.password });
    expect(answer.status).toBe(200);
    const codes: string[] = answer.json.recovery_codes;
    expect(new Set([...codes, ...account.recovery_codes]).size).toBe(20);
    const use = async (recovery_code: string) =>
      (await challenge(app, await halfSignIn(app, account), { recovery_code })).status;
    expect(await use(account.recovery_codes[0]!)).toBe(401);
    expect(await use(codes[0]!)).toBe(200);
    expect((await account.browser.get('/auth/mfa/status')).json.recovery_codes_remaining).toBe(9);
    const action = 'mfa.recovery_codes.regenerated';
    expect((await auditOf(app, { actor_id: account.user_id, action })).map((row) => row.outcome)).toEqual(['success']);
  });

  it('ten concurrent requests for new recovery codes leave the ten codes of one response', async () => {
    const account = await enrolNew(app);
    const answers = await atOnce(10, () =>
      createBrowser(app).post(
        '/auth/mfa/recovery-codes',
        { password: account.password },
        bearer(account.verified_token),
      ),
    );
    expect(tally(answers)).toEqual({ 200: 10 });
    expect((await account.browser.get('/auth/mfa/status')).json.recovery_codes_remaining).toBe(10);
    let good = 0;
    for (const { json } of answers) {
      const token = await halfSignIn(app, account);
      if ((await challenge(app, token, { recovery_code: json.recovery_codes[0] })).status === 200) good++;
    }
    expect(good).toBe(1);
  });

  it('new recovery codes: 409 if MFA is off, after the password was checked', async () => {
    const { browser, password } = await registerUser(app);
    expect((await browser.post('/auth/mfa/recovery-codes', { password })).json.error.code).toBe('conflict');
    expect((await browser.post('/auth/mfa/recovery-codes', WRONG)).status).toBe(401);
    expect((await browser.post('/auth/mfa/recovery-codes', {})).status).toBe(400);
  });
});

describe('POST /admin/users/:id/mfa/reset', () => {
  const admin = async (platform_role: 'viewer' | 'admin' | 'owner' | null = 'admin') => {
    const account = await registerUser(app);
    await setUser(app, account.user_id, { platform_role });
    const browser = createBrowser(app);
    await browser.post('/auth/login', account);
    return { ...account, reset: (id: string) => browser.post(`/admin/users/${id}/mfa/reset`), browser };
  };

  it('reset is 204: removes MFA, trusted browsers and the step-up of every session on every replica; mailed, audited as mfa.reset', async () => {
    const boss = await admin();
    const account = await enrolNew(app);
    const cookie = await trustBrowser(app, account.user_id);
    const token = await halfSignIn(app, account);
    expect((await account.browser.get('/auth/session')).json.user.mfa_verified_at).not.toBeNull();
    const answer = await boss.reset(account.user_id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await trustedBrowsersOf(account.user_id)).toBe(0);
    expect((await account.browser.get('/auth/session')).json.user).toMatchObject({
      aal: 'aal1',
      mfa_verified_at: null,
    });
    expect(await findSession(app, account.session_id)).toMatchObject({ aal: 'aal1', mfa_verified_at: null });
    expect(claimsOf((await account.browser.post('/auth/refresh')).json.access_token).aal).toBe('aal1');
    expect(await rowsOf(account.user_id)).toBe(0);
    expect((await challenge(app, token, { code: account.app.code() })).status).toBe(401);
    expect((await verify(app, account.access_token, { code: account.app.code() })).status).toBe(409);
    expect((await createBrowser(app).post('/auth/login', account)).json.status).toBe('success');
    const again = await enrol(app, account);
    expect((await challenge(app, token, { code: again.app.code() })).status).toBe(401);
    expect((await createBrowser(app).post('/auth/login', again, { headers: { cookie } })).json.status).toBe(
      'mfa_required',
    );
    expect(await subjectsTo(account.email)).toContainEqual(expect.stringMatching(/two-step/i));
    const [row] = await auditOf(app, { resource_id: account.user_id, action: 'mfa.reset' });
    expect(row).toMatchObject({
      actor_id: boss.user_id,
      organization_id: account.organization_id,
      resource_type: 'user',
      outcome: 'success',
    });
  });

  it('reset is 204 without MFA: audited, no mail', async () => {
    const boss = await admin();
    const account = await registerUser(app);
    await app.mailbox.take(account.email);
    expect((await boss.reset(account.user_id)).status).toBe(204);
    expect(await auditOf(app, { resource_id: account.user_id, action: 'mfa.reset' })).toHaveLength(1);
    expect(await subjectsTo(account.email)).toEqual([]);
  });

  it('reset is 403 for a user of higher rank; an equal rank and oneself are allowed', async () => {
    const [boss, owner, peer] = [await admin('admin'), await admin('owner'), await admin('admin')];
    const refused = await boss.reset(owner.user_id);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'forbidden']);
    expect((await boss.reset(peer.user_id)).status).toBe(204);
    expect((await boss.reset(boss.user_id)).status).toBe(204);
    expect((await owner.reset(boss.user_id)).status).toBe(204);
  });

  it('reset: 401 without a session, 403 for a viewer, without a role and without CSRF, 404 for unknown and deleted users', async () => {
    const account = await registerUser(app);
    const path = `/admin/users/${account.user_id}/mfa/reset`;
    expect((await createBrowser(app).post(path)).status).toBe(401);
    expect((await (await admin('viewer')).reset(account.user_id)).status).toBe(403);
    expect((await (await admin(null)).reset(account.user_id)).status).toBe(403);
    const boss = await admin();
    expect((await boss.browser.post(path, undefined, { csrf: false })).json.error.code).toBe('csrf_failed');
    expect((await boss.reset('018f0000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await boss.reset('x')).status).toBe(404);
    await setUser(app, account.user_id, { status: 'deleted', email: newEmail('deleted') });
    expect((await boss.reset(account.user_id)).status).toBe(404);
    expect((await boss.reset(boss.user_id.toUpperCase())).status).toBe(204);
  });

  it('reset works for a disabled account', async () => {
    const boss = await admin();
    const account = await enrolNew(app);
    await setUser(app, account.user_id, { status: 'disabled' });
    expect((await boss.reset(account.user_id)).status).toBe(204);
    expect((await findUser(app, account.user_id)).mfa_enabled_at).toBeNull();
    await setSession(app, account.session_id, { revoked_at: app.clock.now() });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, bearer, claimsOf, createBrowser, newEmail, registerPerson, tally } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findSession,
  findUser,
  holdUser,
  setSession,
  setUser,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { challenge, enrol, enrolNew, halfSignIn, verify } from '../../../test/second-factor.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

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
  it('204: secret, codes and trusted browsers are gone, a mail tells, and sign-in asks no more', async () => {
    const person = await enrolNew(app);
    const cookie = await trustBrowser(app, person.user_id);
    const answer = await person.browser.post('/auth/mfa/disable', { password: person.password });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await trustedBrowsersOf(person.user_id)).toBe(0);
    expect(await rowsOf(person.user_id)).toBe(0);
    expect((await findUser(app, person.user_id)).mfa_enabled_at).toBeNull();
    expect((await createBrowser(app).post('/auth/login', person)).json.status).toBe('success');
    expect(await subjectsTo(person.email)).toContainEqual(expect.stringMatching(/two-step/i));
    const again = await enrol(app, person);
    expect((await createBrowser(app).post('/auth/login', again, { headers: { cookie } })).json.status).toBe(
      'mfa_required',
    );
    expect(
      (await auditOf(app, { actor_id: person.user_id, action: 'mfa.disabled' })).map((row) => row.outcome),
    ).toEqual(['success']);
  });

  it('off already: 204 again, untold; the password is checked all the same', async () => {
    const person = await registerPerson(app);
    await app.mailbox.take(person.email);
    expect((await person.browser.post('/auth/mfa/disable', { password: person.password })).status).toBe(204);
    expect(await subjectsTo(person.email)).toEqual([]);
    expect(await auditOf(app, { actor_id: person.user_id, action: 'mfa.disabled' })).toEqual([]);
    expect((await person.browser.post('/auth/mfa/disable', WRONG)).status).toBe(401);
  });

  it('a half sign-in from before does not outlive it, when MFA is on again', async () => {
    const person = await enrolNew(app);
    const token = await halfSignIn(app, person);
    await person.browser.post('/auth/mfa/disable', { password: person.password });
    const again = await enrol(app, person);
    expect((await challenge(app, token, { code: again.app.code() })).status).toBe(401);
    expect((await challenge(app, await halfSignIn(app, person), { code: again.app.code() })).status).toBe(200);
  });

  it('tells by mail at most as often as the limit allows', async () => {
    const person = await registerPerson(app);
    for (let index = 0; index < 12; index++) {
      await enrol(app, person);
      expect((await person.browser.post('/auth/mfa/disable', { password: person.password })).status).toBe(204);
    }
    const told = (await subjectsTo(person.email)).filter((subject) => /two-step/i.test(subject));
    expect(told).toHaveLength(10);
  });

  it.each(['/auth/mfa/disable', '/auth/mfa/recovery-codes'])(
    '%s: a password that was changed meanwhile is not the right one any more',
    async (path) => {
      const person = await enrolNew(app);
      const letGo = await holdUser(app, person.user_id);
      const asked = person.browser.post(path, { password: person.password });
      await untilBlocked(app, 1);
      const { password_hash } = await findUser(app, (await registerPerson(app)).user_id);
      await letGo((tx) => tx.updateTable('users').set({ password_hash }).where('id', '=', person.user_id).execute());
      expect((await asked).status).toBe(401);
      expect((await findUser(app, person.user_id)).mfa_enabled_at).not.toBeNull();
      expect(
        (await challenge(app, await halfSignIn(app, person), { recovery_code: person.recovery_codes[0] })).status,
      ).toBe(200);
    },
  );

  it('ends a setup that waits', async () => {
    const person = await registerPerson(app);
    await person.browser.post('/auth/mfa/setup');
    await person.browser.post('/auth/mfa/disable', { password: person.password });
    expect(await rowsOf(person.user_id)).toBe(0);
  });

  it('a wrong password: 401, told of, nothing changes; five in a row 429', async () => {
    const person = await enrolNew(app);
    const answers = [];
    for (let index = 0; index < 6; index++) answers.push(await person.browser.post('/auth/mfa/disable', WRONG));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await person.browser.post('/auth/mfa/disable', { password: person.password })).status).toBe(429);
    expect((await findUser(app, person.user_id)).mfa_enabled_at).not.toBeNull();
    const rows = await auditOf(app, { actor_id: person.user_id, action: 'mfa.disabled' });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(5).fill('failure'));
  });

  it('without a password in the account a fresh sign-in or second factor stands for it', async () => {
    const person = await enrolNew(app);
    await setUser(app, person.user_id, { password_hash: null });
    app.clock.advance(301);
    const late = await person.browser.post('/auth/mfa/disable', {});
    expect([late.status, late.json.error.code]).toEqual([401, 'mfa_required']);
    await person.browser.post('/auth/mfa/verify', { code: person.app.code() });
    expect((await person.browser.post('/auth/mfa/disable', {})).status).toBe(204);
  });

  it('400 when the password is missing, 401 without a session, 403 without CSRF', async () => {
    const person = await enrolNew(app);
    expect((await person.browser.post('/auth/mfa/disable', {})).json.error.message).toBe('password: is required');
    expect((await createBrowser(app).post('/auth/mfa/disable', WRONG)).status).toBe(401);
    const { password } = person;
    const refused = await person.browser.post('/auth/mfa/disable', { password }, { csrf: false });
    expect(refused.status).toBe(403);
  });
});

describe('POST /auth/mfa/recovery-codes', () => {
  it('ten new ones, the old void; audited', async () => {
    const person = await enrolNew(app);
    const answer = await person.browser.post('/auth/mfa/recovery-codes', { password: person.password });
    expect(answer.status).toBe(200);
    const codes: string[] = answer.json.recovery_codes;
    expect(new Set([...codes, ...person.recovery_codes]).size).toBe(20);
    const use = async (recovery_code: string) =>
      (await challenge(app, await halfSignIn(app, person), { recovery_code })).status;
    expect(await use(person.recovery_codes[0]!)).toBe(401);
    expect(await use(codes[0]!)).toBe(200);
    expect((await person.browser.get('/auth/mfa/status')).json.recovery_codes_remaining).toBe(9);
    const action = 'mfa.recovery_codes.regenerated';
    expect((await auditOf(app, { actor_id: person.user_id, action })).map((row) => row.outcome)).toEqual(['success']);
  });

  it('ten at once leave ten codes, all of one answer', async () => {
    const person = await enrolNew(app);
    const answers = await atOnce(10, () =>
      createBrowser(app).post('/auth/mfa/recovery-codes', { password: person.password }, bearer(person.verified_token)),
    );
    expect(tally(answers)).toEqual({ 200: 10 });
    expect((await person.browser.get('/auth/mfa/status')).json.recovery_codes_remaining).toBe(10);
    let good = 0;
    for (const { json } of answers) {
      const token = await halfSignIn(app, person);
      if ((await challenge(app, token, { recovery_code: json.recovery_codes[0] })).status === 200) good++;
    }
    expect(good).toBe(1);
  });

  it('409 when MFA is off, after the password was checked', async () => {
    const { browser, password } = await registerPerson(app);
    expect((await browser.post('/auth/mfa/recovery-codes', { password })).json.error.code).toBe('conflict');
    expect((await browser.post('/auth/mfa/recovery-codes', WRONG)).status).toBe(401);
    expect((await browser.post('/auth/mfa/recovery-codes', {})).status).toBe(400);
  });
});

describe('POST /admin/users/:id/mfa/reset', () => {
  const admin = async (platform_role: 'viewer' | 'admin' | 'owner' | null = 'admin') => {
    const person = await registerPerson(app);
    await setUser(app, person.user_id, { platform_role });
    const browser = createBrowser(app);
    await browser.post('/auth/login', person);
    return { ...person, reset: (id: string) => browser.post(`/admin/users/${id}/mfa/reset`), browser };
  };

  it('204: MFA and trusted browsers gone, step-up gone from every session on every replica, told and audited as mfa.reset', async () => {
    const boss = await admin();
    const person = await enrolNew(app);
    const cookie = await trustBrowser(app, person.user_id);
    const token = await halfSignIn(app, person);
    expect((await person.browser.get('/auth/session')).json.user.mfa_verified_at).not.toBeNull();
    const answer = await boss.reset(person.user_id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await trustedBrowsersOf(person.user_id)).toBe(0);
    expect((await person.browser.get('/auth/session')).json.user).toMatchObject({ aal: 'aal1', mfa_verified_at: null });
    expect(await findSession(app, person.session_id)).toMatchObject({ aal: 'aal1', mfa_verified_at: null });
    expect(claimsOf((await person.browser.post('/auth/refresh')).json.access_token).aal).toBe('aal1');
    expect(await rowsOf(person.user_id)).toBe(0);
    expect((await challenge(app, token, { code: person.app.code() })).status).toBe(401);
    expect((await verify(app, person.access_token, { code: person.app.code() })).status).toBe(409);
    expect((await createBrowser(app).post('/auth/login', person)).json.status).toBe('success');
    const again = await enrol(app, person);
    expect((await challenge(app, token, { code: again.app.code() })).status).toBe(401);
    expect((await createBrowser(app).post('/auth/login', again, { headers: { cookie } })).json.status).toBe(
      'mfa_required',
    );
    expect(await subjectsTo(person.email)).toContainEqual(expect.stringMatching(/two-step/i));
    const [row] = await auditOf(app, { resource_id: person.user_id, action: 'mfa.reset' });
    expect(row).toMatchObject({
      actor_id: boss.user_id,
      organization_id: person.organization_id,
      resource_type: 'user',
      outcome: 'success',
    });
  });

  it('without MFA: 204, audited, and no mail', async () => {
    const boss = await admin();
    const person = await registerPerson(app);
    await app.mailbox.take(person.email);
    expect((await boss.reset(person.user_id)).status).toBe(204);
    expect(await auditOf(app, { resource_id: person.user_id, action: 'mfa.reset' })).toHaveLength(1);
    expect(await subjectsTo(person.email)).toEqual([]);
  });

  it('nobody resets a higher rank; an equal one and oneself may be', async () => {
    const [boss, owner, peer] = [await admin('admin'), await admin('owner'), await admin('admin')];
    const refused = await boss.reset(owner.user_id);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'forbidden']);
    expect((await boss.reset(peer.user_id)).status).toBe(204);
    expect((await boss.reset(boss.user_id)).status).toBe(204);
    expect((await owner.reset(boss.user_id)).status).toBe(204);
  });

  it('401 without a session, 403 for a viewer and for no role, 403 without CSRF, 404 for nobody and for the deleted', async () => {
    const person = await registerPerson(app);
    const path = `/admin/users/${person.user_id}/mfa/reset`;
    expect((await createBrowser(app).post(path)).status).toBe(401);
    expect((await (await admin('viewer')).reset(person.user_id)).status).toBe(403);
    expect((await (await admin(null)).reset(person.user_id)).status).toBe(403);
    const boss = await admin();
    expect((await boss.browser.post(path, undefined, { csrf: false })).json.error.code).toBe('csrf_failed');
    expect((await boss.reset('018f0000-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await boss.reset('x')).status).toBe(404);
    await setUser(app, person.user_id, { status: 'deleted', email: newEmail('deleted') });
    expect((await boss.reset(person.user_id)).status).toBe(404);
    expect((await boss.reset(boss.user_id.toUpperCase())).status).toBe(204);
  });

  it('a disabled account can be reset', async () => {
    const boss = await admin();
    const person = await enrolNew(app);
    await setUser(app, person.user_id, { status: 'disabled' });
    expect((await boss.reset(person.user_id)).status).toBe(204);
    expect((await findUser(app, person.user_id)).mfa_enabled_at).toBeNull();
    await setSession(app, person.session_id, { revoked_at: app.clock.now() });
  });
});

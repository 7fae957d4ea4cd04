import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { beginSigningIn, withPasskey } from '../../../test/authenticator.ts';
import { bearer, createBrowser, newEmail, PASSWORD, refreshWith, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findUser,
  kindsOf,
  liveSessions,
  lockUserRow,
  revocationsOf,
  setUser,
  trustBrowser,
  untilBlocked,
} from '../../../test/records.ts';
import { challenge, enrolNew, halfSignIn } from '../../../test/second-factor.ts';

const app = useTestApp();
let admin: Administrator;
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
  admin = await insertAdministrator(app);
});

const change = (id: string, status: unknown, by = admin) => by.patch(`/admin/users/${id}`, { status });
const login = ({ email }: { email: string }) => createBrowser(app).post('/auth/login', { email, password: PASSWORD });
const trail = async (id: string) =>
  (await auditOf(app, { resource_id: id, action: ['user.disabled', 'user.enabled'] })).map(({ action }) => action);

describe('PATCH /admin/users/:id', () => {
  it('disabling is 200 with the record; every session is rejected at once and is in the feed', async () => {
    const user = await registerUser(app);
    expect((await user.browser.get('/auth/session')).status).toBe(200);
    const { status, json } = await change(user.user_id, 'disabled');
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: user.user_id, status: 'disabled', email: user.email, has_password: true });
    expect((await createBrowser(app).get('/auth/session', bearer(user.access_token))).status).toBe(401);
    expect((await refreshWith(app, user.browser.jar.get('service_rt')!)).status).toBe(401);
    expect(await liveSessions(app, user.user_id)).toEqual([]);
    expect(await revocationsOf(app, user.session_id)).toHaveLength(1);
    expect(await auditOf(app, { resource_id: user.user_id, action: 'user.disabled' })).toMatchObject([
      {
        actor_id: admin.user_id,
        organization_id: user.organization_id,
        resource_type: 'user',
        metadata: { sessions_revoked: 1 },
        outcome: 'success',
      },
    ]);
  });

  it('the audit row of a user without organization has the nil organization_id', async () => {
    const { user_id } = await insertAdministrator(app, null);
    await change(user_id, 'disabled');
    const [row] = await auditOf(app, { resource_id: user_id, action: 'user.disabled' });
    expect(row!.organization_id).toBe('00000000-0000-0000-0000-000000000000');
  });

  it('every sign-in method of a disabled account is rejected like a wrong password, and works again after enabling', async () => {
    const user = await withPasskey(app);
    const byPasskey = async () => {
      const credential = user.device.get(await beginSigningIn(app, user.email));
      return (await createBrowser(app).post('/auth/passkey/login/complete', { credential })).status;
    };
    const wrong = await createBrowser(app).post('/auth/login', { email: user.email, password: 'not this one, no' });
    await change(user.user_id, 'disabled');
    const refused = await login(user);
    expect([refused.status, refused.text]).toEqual([401, wrong.text]);
    expect(await byPasskey()).toBe(401);
    expect((await change(user.user_id, 'active')).json).toMatchObject({ status: 'active' });
    expect((await login(user)).status).toBe(200);
    expect(await byPasskey()).toBe(200);
    expect((await createBrowser(app).get('/auth/session', bearer(user.access_token))).status).toBe(401);
    expect(await trail(user.user_id)).toEqual(['user.disabled', 'user.enabled']);
  });

  it('operations that were pending before disabling stay invalid: code, change of email, trusted browser, pending sign-in', async () => {
    const user = await enrolNew(app);
    const cookie = await trustBrowser(app, user.user_id);
    const token = await halfSignIn(app, user);
    const email = newEmail('new');
    await user.browser.post('/users/me/email', { email, password: PASSWORD });
    await createBrowser(app).post('/auth/email-otp/request', { email: user.email });
    const code = await app.mailbox.takeCode(user.email);
    const link = await app.mailbox.takeToken(email, 'verify-email');
    await change(user.user_id, 'disabled');
    expect(await kindsOf(app, user.user_id)).toEqual(['email_verification']);
    await change(user.user_id, 'active');
    expect((await challenge(app, token, { code: user.app.code() })).status).toBe(401);
    const byCode = await createBrowser(app).post('/auth/email-otp/verify', { email: user.email, code });
    expect(byCode.status).toBe(401);
    expect((await createBrowser(app).post('/auth/email/verify', { token: link })).status).toBe(401);
    const again = await createBrowser(app).post('/auth/login', user, { headers: { cookie } });
    expect(again.json.status).toBe('mfa_required');
    expect((await challenge(app, again.json.mfa_token, { code: user.app.code() })).status).toBe(200);
  });

  it('a reset link gets 401 while the account is disabled, and works after enabling', async () => {
    const user = await registerUser(app);
    await app.mailbox.take(user.email);
    await createBrowser(app).post('/auth/password/forgot', { email: user.email });
    const token = await app.mailbox.takeToken(user.email, 'reset-password');
    const reset = () => createBrowser(app).post('/auth/password/reset', { token, new_password: PASSWORD });
    await change(user.user_id, 'disabled');
    expect((await reset()).status).toBe(401);
    await change(user.user_id, 'active');
    expect((await reset()).status).toBe(204);
  });

  it('200 for the same status, and nothing is written', async () => {
    const user = await registerUser(app);
    const before = await findUser(app, user.user_id);
    app.clock.advance(10);
    expect((await change(user.user_id, 'active')).status).toBe(200);
    expect(await findUser(app, user.user_id)).toEqual(before);
    await change(user.user_id, 'disabled');
    expect((await change(user.user_id, 'disabled')).json.status).toBe('disabled');
    expect(await trail(user.user_id)).toEqual(['user.disabled']);
  });

  it('403 for a higher rank, to disable and to enable; an equal rank and oneself are allowed', async () => {
    const [owner, second, peer] = [
      await insertAdministrator(app, 'owner'),
      await insertAdministrator(app, 'owner'),
      await insertAdministrator(app),
    ];
    const refused = await change(owner.user_id, 'disabled');
    expect([refused.status, refused.json.error.code]).toEqual([403, 'forbidden']);
    expect((await change(owner.user_id, 'disabled', second)).status).toBe(200);
    expect((await change(owner.user_id, 'active')).status).toBe(403);
    expect((await change(peer.user_id, 'disabled')).status).toBe(200);
    expect((await change(admin.user_id, 'disabled')).json.status).toBe('disabled');
    expect((await admin.get('/auth/session')).status).toBe(401);
  });

  it('409 for the last active platform owner', async () => {
    const [owner, disabled] = [await insertAdministrator(app, 'owner'), await insertAdministrator(app, 'owner')];
    expect((await change(disabled.user_id, 'disabled', owner)).status).toBe(200);
    const refused = await change(owner.user_id, 'disabled', owner);
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    expect((await change(disabled.user_id, 'active', owner)).json.platform_role).toBe('owner');
    expect((await change(owner.user_id, 'disabled', owner)).status).toBe(200);
  });

  it('404 for an unknown and a deleted user', async () => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { status: 'deleted' });
    for (const id of [uuid(), 'x', user.user_id]) expect((await change(id, 'active')).status, id).toBe(404);
    expect((await findUser(app, user.user_id)).status).toBe('deleted');
  });

  it.each([['deleted'], [null], [undefined], [1]])('400 for the status %j', async (status) => {
    const answer = await change(admin.user_id, status);
    expect([answer.status, answer.json.error.message]).toEqual([400, expect.stringContaining('status: ')]);
  });

  it('401 without a session, 403 for a viewer and without CSRF', async () => {
    const user = await registerUser(app);
    const path = `/admin/users/${user.user_id}`;
    expect((await createBrowser(app).patch(path, { status: 'disabled' })).status).toBe(401);
    expect((await change(user.user_id, 'disabled', await insertAdministrator(app, 'viewer'))).status).toBe(403);
    const answer = await user.browser.patch(path, { status: 'disabled' }, { csrf: false });
    expect(answer.json.error.code).toBe('csrf_failed');
    expect((await findUser(app, user.user_id)).status).toBe('active');
  });

  it('the role and status of the caller are checked in the database, not in the cache', async () => {
    const user = await registerUser(app);
    for (const [changes, status] of [
      [{ platform_role: 'viewer' }, 403],
      [{ status: 'disabled' }, 401],
    ] as const) {
      const boss = await insertAdministrator(app);
      expect((await boss.get('/auth/session')).status).toBe(200);
      const letGo = await lockUserRow(app, boss.user_id);
      const asked = change(user.user_id, 'disabled', boss);
      await untilBlocked(app, 1);
      await letGo((tx) => tx.updateTable('users').set(changes).where('id', '=', boss.user_id).execute());
      expect((await asked).status).toBe(status);
    }
    expect((await findUser(app, user.user_id)).status).toBe('active');
  });
});

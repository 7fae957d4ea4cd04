import type { Updateable } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator } from '../../../test/authenticator.ts';
import { createBrowser, newEmail, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  countingRows,
  findUser,
  lockUserRow,
  setSession,
  setUser,
  untilBlocked,
} from '../../../test/records.ts';
import { findMembership, founder } from '../../../test/team.ts';
import type { Users } from '../../platform/db/schema.ts';
import { signInByCode } from '../email-verification/reclaim/squat-fixture.ts';
import { acceptAs, acceptNew, findRow, invite, preview } from './invitation-fixture.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

const membershipOf = ({ user_id }: TestUser) =>
  findMembership(app, { user_id, organization_id: owner.organization_id });

describe('an account with an unverified email, which someone else may have registered', () => {
  it('a session by emailed code must set a password first, after which old credentials do not work', async () => {
    const email = newEmail('victim');
    const squatter = await registerUser(app, { email, password: 'the password of a squatter' });
    await app.mailbox.take(email);
    const { id, token } = await invite(app, owner, { email, role: 'admin' });
    const victim = createBrowser(app);
    await victim.post('/auth/email-otp/request', { email });
    const code = await app.mailbox.takeCode(email);
    expect((await victim.post('/auth/email-otp/verify', { email, code })).status).toBe(200);

    const refused = await acceptAs({ browser: victim }, token);
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('forbidden');
    expect(refused.json.error.message).toContain('set a new password with "forgot password"');
    expect(await membershipOf(squatter)).toBeUndefined();
    expect(await findRow(app, id)).toMatchObject({ accepted_at: null, closed_at: null });
    expect(await findUser(app, squatter.user_id)).toMatchObject({ email_verified_at: null });

    await victim.post('/auth/password/forgot', { email });
    const reset = await app.mailbox.takeToken(email, 'reset-password');
    const password = 'the password of the victim';
    expect((await victim.post('/auth/password/reset', { token: reset, new_password: password })).status).toBe(204);
    expect((await victim.post('/auth/login', { email, password })).status).toBe(200);
    expect((await acceptAs({ browser: victim }, token)).json).toMatchObject({ status: 'accepted', role: 'admin' });
    const login = await createBrowser(app).post('/auth/login', { email, password: squatter.password });
    expect(login.status).toBe(401);
    expect((await squatter.browser.get('/auth/session')).status).toBe(401);
  });

  it.each(['email_otp', 'passkey', 'social_oauth', 'password_with_mfa'] as const)(
    'a session by %s: 403 without a change; 200 once the email is verified',
    async (auth_method) => {
      const user = await founder(app);
      // A second factor may follow a first one that is not the password.
      const first_factor = auth_method === 'password_with_mfa' ? 'email_otp' : auth_method;
      await setSession(app, user.session_id, { auth_method, first_factor } as object);
      const { token } = await invite(app, owner, { email: user.email });
      const { result, rows } = await countingRows(app, ['memberships', 'audit_events'], () => acceptAs(user, token));
      expect(result.status).toBe(403);
      expect(rows).toEqual({ memberships: 0, audit_events: 0 });
      expect((await preview(app, token)).status).toBe(200);
      await setUser(app, user.user_id, { email_verified_at: app.clock.now() });
      expect((await acceptAs(user, token)).status).toBe(200);
    },
  );

  it.each(['password', 'password_with_mfa'])('a session by %s: 200, and the email is verified', async (auth_method) => {
    const user = await registerUser(app);
    await setSession(app, user.session_id, { auth_method } as object);
    await app.mailbox.take(user.email);
    const { token } = await invite(app, owner, { email: user.email });
    expect((await acceptAs(user, token)).status).toBe(200);
    expect((await findUser(app, user.user_id)).email_verified_at).toEqual(app.clock.now());
  });

  it('a session by password with a passkey that someone else added: 403', async () => {
    const email = newEmail('victim');
    const squatter = await registerUser(app, { email });
    expect((await addPasskey(squatter.browser, createAuthenticator())).status).toBe(201);
    // The account has no password, as after a third-party sign-in with an email that the provider has not verified.
    await setUser(app, squatter.user_id, { password_hash: null });
    await app.mailbox.take(email);
    const { browser } = await signInByCode(app, email);
    const password = 'chosen by the victim';
    expect((await browser.post('/users/me/password', { new_password: password })).status).toBe(204);
    const victim = createBrowser(app);
    expect((await victim.post('/auth/login', { email, password })).status).toBe(200);
    await app.mailbox.take(email);
    const { token } = await invite(app, owner, { email });
    expect((await acceptAs({ browser: victim }, token)).status).toBe(403);
    expect(await membershipOf(squatter)).toBeUndefined();
    expect(await findUser(app, squatter.user_id)).toMatchObject({ email_verified_at: null });
  });

  it('without a session: 401 for an account with an unverified email, also without an active organization', async () => {
    const user = await founder(app);
    await app.deps.db
      .updateTable('memberships')
      .set({ revoked_at: app.clock.now() })
      .where('user_id', '=', user.user_id)
      .execute();
    const { token } = await invite(app, owner, { email: user.email });
    expect((await acceptNew(app, token)).status).toBe(401);
    expect(await membershipOf(user)).toBeUndefined();
  });
});

describe('checks that are repeated under lock', () => {
  const changes: [string, Updateable<Users>][] = [
    ['is deleted', { status: 'deleted' }],
    ['is disabled', { status: 'disabled' }],
    ['gets another email', { email: newEmail('moved') }],
  ];
  it.each(changes)('a user who concurrently %s: 403, no membership, the invitation stays open', async (_, change) => {
    const user = await founder(app);
    await setUser(app, user.user_id, { email_verified_at: app.clock.now() });
    const { id, token } = await invite(app, owner, { email: user.email });
    const letGo = await lockUserRow(app, user.user_id);
    const asked = acceptAs(user, token);
    await untilBlocked(app, 1);
    await letGo((tx) => tx.updateTable('users').set(change).where('id', '=', user.user_id).execute());
    expect((await asked).status).toBe(403);
    expect(await membershipOf(user)).toBeUndefined();
    expect(await findRow(app, id)).toMatchObject({ accepted_at: null, closed_at: null });
    expect(await auditOf(app, { resource_id: id, action: 'invitation.accepted' })).toEqual([]);
  });

  it.each([
    ['verified', 200, true],
    ['no longer verified', 403, false],
  ] as const)('an email that is concurrently %s: %i', async (_name, status, isVerified) => {
    const user = await founder(app);
    await setSession(app, user.session_id, { auth_method: 'email_otp' } as object);
    const verified = (is: boolean) => ({ email_verified_at: is ? app.clock.now() : null });
    await setUser(app, user.user_id, verified(!isVerified));
    const { token } = await invite(app, owner, { email: user.email });
    const letGo = await lockUserRow(app, user.user_id);
    const asked = acceptAs(user, token);
    await untilBlocked(app, 1);
    await letGo((tx) => tx.updateTable('users').set(verified(isVerified)).where('id', '=', user.user_id).execute());
    expect((await asked).status).toBe(status);
    expect((await membershipOf(user)) !== undefined).toBe(isVerified);
  });

  it('a request that waits for the row lock of its user holds no other lock', async () => {
    const user = await founder(app);
    const { id, token } = await invite(app, owner, { email: user.email });
    const letGo = await lockUserRow(app, user.user_id);
    const asked = acceptAs(user, token);
    await untilBlocked(app, 1);
    const free = app.deps.db.selectFrom('invitations').select('id').where('id', '=', id).forUpdate().skipLocked();
    expect(await free.execute()).toHaveLength(1);
    await letGo();
    expect((await asked).status).toBe(200);
  });
});

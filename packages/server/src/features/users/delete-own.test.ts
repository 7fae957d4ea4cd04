import { beforeEach, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { bearer, createBrowser, PASSWORD, registerUser, signInAgain, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, findUser, join, liveSessions, revocationsOf, setUser, trustBrowser } from '../../../test/records.ts';
import { enrol, verify } from '../../../test/second-factor.ts';
import { colleague, findMembership, founder, insertMembership } from '../../../test/team.ts';
import { acceptNew, findRow, invite } from '../invitations/invitation-fixture.ts';

const app = useTestApp();

const remove = ({ browser }: TestUser, body?: unknown) =>
  browser.delete('/users/me', body === undefined ? {} : { body });
const statusOf = async ({ user_id }: TestUser) => (await findUser(app, user_id)).status;
const isSuspended = async (id: string): Promise<boolean> => {
  const row = await app.deps.db
    .selectFrom('organizations')
    .select('suspended_at')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.suspended_at != null;
};
const suspensionsOf = (id: string) => auditOf(app, { action: 'org.suspended', resource_id: id });

describe('DELETE /users/me', () => {
  it('204: deletes the account as an administrator does, clears the cookies, and frees the email', async () => {
    const user = await registerUser(app);
    const other = await signInAgain(app, user);
    user.browser.jar.set('service_trust', (await trustBrowser(app, user.user_id)).split('=')[1]!);
    const answer = await remove(user, { password: PASSWORD });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(user.browser.jar.size).toBe(0);
    expect(await findUser(app, user.user_id)).toMatchObject({
      status: 'deleted',
      password_hash: null,
      platform_role: null,
      last_organization_id: null,
    });
    expect(await liveSessions(app, user.user_id)).toEqual([]);
    expect(await revocationsOf(app, user.session_id)).toHaveLength(1);
    expect((await other.get('/auth/session')).status).toBe(401);
    expect((await createBrowser(app).get('/auth/session', bearer(user.access_token))).status).toBe(401);
    expect((await findMembership(app, user))?.revoked_at).toEqual(app.clock.now());
    expect(await auditOf(app, { action: 'user.deleted', resource_id: user.user_id })).toMatchObject([
      {
        actor_id: user.user_id,
        organization_id: user.organization_id,
        outcome: 'success',
        metadata: { sessions_revoked: 2, by: 'self' },
      },
    ]);
    expect((await registerUser(app, { email: user.email })).user_id).not.toBe(user.user_id);
  });

  it('checks the password: 400 if missing, 401 if wrong, 429 after five wrong ones; then nothing is deleted', async () => {
    const user = await registerUser(app);
    await colleague(app, user);
    expect(await remove(user)).toMatchObject({ status: 400, json: { error: { message: 'password: is required' } } });
    expect(await remove(user, {})).toMatchObject({ status: 400 });
    const wrong = { password: 'not the right one' };
    for (const status of [401, 401, 401, 401, 401, 429]) expect((await remove(user, wrong)).status).toBe(status);
    expect((await remove(user, { password: PASSWORD })).status).toBe(429);
    expect(await statusOf(user)).toBe('active');
    const rows = await auditOf(app, { action: 'user.deleted', resource_id: user.user_id });
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['failure']));
  });

  it('checks the password before it answers 409', async () => {
    const owner = await registerUser(app);
    await colleague(app, owner);
    expect((await remove(owner, { password: 'not the right one' })).status).toBe(401);
    expect((await remove(owner, { password: PASSWORD })).status).toBe(409);
  });

  it('needs no password if the account has none; a body is then optional', async () => {
    for (const body of [undefined, {}, { password: 'ignored' }]) {
      expect((await remove(await founder(app), body)).status).toBe(204);
    }
  });

  it.each([[{ password: '' }], [{ password: 1 }], [[]]])('is 400 for %j', async (body) => {
    expect((await remove(await founder(app), body)).status).toBe(400);
  });

  it('requires fresh authentication: 401 mfa_required 15 minutes after the sign-in, and with MFA on below aal2', async () => {
    const user = await registerUser(app);
    app.clock.advance(15 * 60 + 1);
    await user.browser.post('/auth/refresh');
    expect(await remove(user, { password: PASSWORD })).toMatchObject({
      status: 401,
      headers: { 'x-service-step-up': 'sign_in' },
      json: { error: { code: 'mfa_required' } },
    });

    const enrolled = await enrol(app, await registerUser(app));
    app.clock.advance(15 * 60 + 1);
    await enrolled.browser.post('/auth/refresh');
    expect(await remove(enrolled, { password: PASSWORD })).toMatchObject({
      status: 401,
      headers: { 'x-service-step-up': 'second_factor' },
    });
    const token = enrolled.browser.jar.get('service_at')!;
    expect((await verify(app, token, { code: enrolled.app.code() })).status).toBe(200);
    expect((await remove(enrolled, { password: PASSWORD })).status).toBe(204);
  });
});

describe('DELETE /users/me of an owner', () => {
  let owner: TestUser;
  beforeEach(async () => {
    owner = await founder(app);
  });

  it('is 409 for the last owner of an organization with other members, and the error names the organization; nothing changes', async () => {
    const user = await founder(app);
    await insertMembership(app, { ...user, organization_id: owner.organization_id }, { role: 'admin' });
    const { status, json } = await remove(owner);
    expect([status, json.error.code]).toEqual([409, 'conflict']);
    expect(json.error.message).toContain('the last owner of Example');
    expect(await statusOf(owner)).toBe('active');
    expect((await owner.browser.get('/auth/session')).status).toBe(200);
    expect((await remove(user)).status).toBe(204);
    expect((await remove(owner)).status).toBe(204);
  });

  it('is 409 for the last owner of an organization with other members, also from a session in another organization', async () => {
    const user = await founder(app);
    const organization_id = await join(app, user.user_id, { role: 'owner' });
    await insertMembership(app, { ...owner, organization_id });
    expect((await remove(user)).status).toBe(409);
    expect((await remove(owner)).status).toBe(204);
  });

  it('is 204 if there is another active owner; the organization stays active', async () => {
    await colleague(app, owner, 'owner');
    expect((await remove(owner)).status).toBe(204);
    expect(await isSuspended(owner.organization_id)).toBe(false);
    expect(await suspensionsOf(owner.organization_id)).toEqual([]);
  });

  it('does not count disabled accounts as owners or members', async () => {
    const second = await colleague(app, owner, 'owner');
    const member = await colleague(app, owner);
    await setUser(app, second.user_id, { status: 'disabled' });
    expect((await remove(owner)).status).toBe(409);
    await setUser(app, member.user_id, { status: 'disabled' });
    expect((await remove(owner)).status).toBe(204);
    expect(await isSuspended(owner.organization_id)).toBe(true);
  });

  it('suspends organizations whose only member the account was, audited, and revokes their pending invitations', async () => {
    const second = await join(app, owner.user_id, { role: 'owner' });
    const gone = new Date('2029-01-01T00:00:00Z');
    const already = await join(app, owner.user_id, { role: 'owner', suspended_at: gone });
    const invited = await invite(app, owner);
    const expired = await invite(app, owner);
    await app.deps.db
      .updateTable('invitations')
      .set({ expires_at: app.clock.now() })
      .where('id', '=', expired.id)
      .execute();
    expect((await remove(owner)).status).toBe(204);
    for (const id of [owner.organization_id, second, already]) expect(await isSuspended(id)).toBe(true);
    for (const id of [owner.organization_id, second]) {
      expect(await suspensionsOf(id)).toMatchObject([
        { actor_id: owner.user_id, organization_id: id, metadata: { sessions_revoked: 0 } },
      ]);
    }
    expect(await suspensionsOf(already)).toEqual([]);
    expect(await findRow(app, invited.id)).toMatchObject({ revoked_at: app.clock.now() });
    expect(await findRow(app, expired.id)).toMatchObject({ revoked_at: null });
    expect(await auditOf(app, { action: 'invitation.revoked', resource_id: invited.id })).toHaveLength(1);
    expect(await acceptNew(app, invited.token)).toMatchObject({
      status: 409,
      json: { error: { message: 'the invitation has been revoked' } },
    });
  });

  it('is 409 for the last platform owner', async () => {
    const chief = await insertAdministrator(app, 'owner');
    const others = await app.deps.db
      .updateTable('users')
      .set({ platform_role: null })
      .where('platform_role', '=', 'owner')
      .where('id', '<>', chief.user_id)
      .returning('id')
      .execute();
    expect(others).toEqual([]);
    expect(await chief.delete('/users/me')).toMatchObject({
      status: 409,
      json: { error: { message: 'this is the last platform owner; add another one first' } },
    });
    await insertAdministrator(app, 'owner');
    expect((await chief.delete('/users/me')).status).toBe(204);
  });
});

import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { type Answer, createBrowser, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  endMemberships,
  findUser,
  lockUserRow,
  setAuthTime,
  setSession,
  setUser,
  untilBlocked,
} from '../../../test/records.ts';
import { after } from '../../platform/clock.ts';

const app = useTestApp();
let owner: Administrator;
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
  owner = await insertAdministrator(app, 'owner');
});

const put = (id: string, role: unknown, by = owner) => by.put(`/admin/users/${id}/platform-role`, { role });
const trail = (id: string) => auditOf(app, { resource_id: id, action: 'platform_role.changed' });

describe('PUT /admin/users/:id/platform-role', () => {
  it('200 with the record: granted, changed and revoked, effective at once and audited', async () => {
    const user = await registerUser(app);
    const mayList = async () => (await user.browser.get('/admin/users')).status;
    expect(await mayList()).toBe(403);
    for (const [role, status] of [
      ['viewer', 200],
      ['owner', 200],
      ['admin', 200],
      [null, 403],
    ] as const) {
      const answer = await put(user.user_id, role);
      expect([answer.status, answer.json.platform_role]).toEqual([200, role]);
      expect(await mayList()).toBe(status);
    }
    const rows = await trail(user.user_id);
    expect(rows.map(({ metadata }) => metadata)).toEqual([
      { from: null, to: 'viewer' },
      { from: 'viewer', to: 'owner' },
      { from: 'owner', to: 'admin' },
      { from: 'admin', to: null },
    ]);
    expect(rows[0]).toMatchObject({
      actor_id: owner.user_id,
      organization_id: user.organization_id,
      resource_type: 'user',
    });
  });

  it('200 for the same role, and nothing is written', async () => {
    const user = await registerUser(app);
    expect((await put(user.user_id, null)).status).toBe(200);
    await put(user.user_id, 'admin');
    app.clock.advance(10);
    const before = await findUser(app, user.user_id);
    expect((await put(user.user_id, 'admin')).status).toBe(200);
    expect(await findUser(app, user.user_id)).toEqual(before);
    expect(await trail(user.user_id)).toHaveLength(1);
  });

  it('409 for demoting the last active owner; allowed while another owner is active', async () => {
    const refused = await put(owner.user_id, 'admin');
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    const second = await insertAdministrator(app, 'owner');
    await setUser(app, second.user_id, { status: 'disabled' });
    expect((await put(owner.user_id, null)).status).toBe(409);
    await setUser(app, second.user_id, { status: 'active' });
    expect((await put(owner.user_id, null)).status).toBe(200);
    expect((await put(second.user_id, 'viewer')).status).toBe(403);
  });

  it('409 for demoting, disabling or deleting an owner while no other owner has an organization to sign in to', async () => {
    const second = await insertAdministrator(app, 'owner');
    await endMemberships(app, second.user_id);
    const answers = [
      await put(owner.user_id, 'admin'),
      await owner.patch(`/admin/users/${owner.user_id}`, { status: 'disabled' }),
      await owner.delete(`/admin/users/${owner.user_id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await put(second.user_id, null)).status).toBe(200);
  });

  it('409 for granting a role to a disabled account; revoking is allowed', async () => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { status: 'disabled', platform_role: 'viewer' });
    const refused = await put(user.user_id, 'admin');
    expect([refused.status, refused.json.error.code]).toEqual([409, 'conflict']);
    expect((await put(user.user_id, null)).json).toMatchObject({ status: 'disabled', platform_role: null });
  });

  it('only for owners: 403 for an admin, 401 without a session, 403 without CSRF', async () => {
    const user = await registerUser(app);
    for (const role of [null, 'viewer', 'admin'] as const) {
      expect((await put(user.user_id, 'viewer', await insertAdministrator(app, role))).status).toBe(403);
    }
    const path = `/admin/users/${user.user_id}/platform-role`;
    expect((await createBrowser(app).send('PUT', path, { body: { role: null } })).status).toBe(401);
    const answer = await user.browser.send('PUT', path, { body: { role: 'owner' }, csrf: false });
    expect(answer.json.error.code).toBe('csrf_failed');
    expect((await findUser(app, user.user_id)).platform_role).toBeNull();
  });

  it('404 for an unknown and a deleted user', async () => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { status: 'deleted' });
    for (const id of [uuid(), 'x', user.user_id]) expect((await put(id, 'viewer')).status, id).toBe(404);
  });

  it.each([['god'], [undefined], [''], [0]])('400 for the role %j', async (role) => {
    const answer = await put(owner.user_id, role);
    expect([answer.status, answer.json.error.message]).toEqual([400, expect.stringContaining('role: ')]);
  });
});

describe('fresh authentication', () => {
  const needs = (stepUp: string, { status, json, headers }: Answer) =>
    expect([status, json.error?.code, headers['x-service-step-up']]).toEqual([401, 'mfa_required', stepUp]);

  it('401 mfa_required 15 minutes after the sign-in, and nothing is written', async () => {
    const user = await registerUser(app);
    const signedInAgo = async (seconds: number) => {
      await setAuthTime(app, owner.session_id, after(app.clock.now(), -seconds));
      await app.deps.sessions.reload(owner.session_id);
    };
    await signedInAgo(15 * 60);
    expect((await put(user.user_id, null)).status).toBe(200);
    await signedInAgo(15 * 60 + 1);
    needs('sign_in', await put(user.user_id, 'owner'));
    needs('sign_in', await put(user.user_id, 'nonsense'));
    expect((await findUser(app, user.user_id)).platform_role).toBeNull();
    expect(await trail(user.user_id)).toEqual([]);
    await setSession(app, owner.session_id, { mfa_verified_at: app.clock.now() });
    expect((await put(user.user_id, 'owner')).status).toBe(200);
  });

  it('with MFA on, 401 mfa_required for an aal1 session', async () => {
    const user = await registerUser(app);
    await setUser(app, owner.user_id, { mfa_enabled_at: app.clock.now() });
    needs('second_factor', await put(user.user_id, 'viewer'));
    await setSession(app, owner.session_id, { aal: 'aal2', mfa_verified_at: app.clock.now() });
    expect((await put(user.user_id, 'viewer')).status).toBe(200);
  });

  it('is checked again in the transaction, against the stored session', async () => {
    const user = await registerUser(app);
    const letGo = await lockUserRow(app, user.user_id);
    const asking = put(user.user_id, 'viewer');
    await untilBlocked(app, 1);
    await setAuthTime(app, owner.session_id, new Date(0));
    await letGo();
    needs('sign_in', await asking);
    expect(await trail(user.user_id)).toEqual([]);
  });
});

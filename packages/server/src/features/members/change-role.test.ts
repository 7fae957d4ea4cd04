import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce, bearer, createBrowser, type TestUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, setUser, untilBlocked } from '../../../test/records.ts';
import { colleague, findMembership, founder, listOwners, updateMembership } from '../../../test/team.ts';

const app = useTestApp();
let owner: TestUser;
let admin: TestUser;
let member: TestUser;

const ROLES = ['owner', 'admin', 'member'] as const;
const change = (actor: TestUser, user_id: string, role: unknown, organization_id = actor.organization_id) =>
  actor.browser.patch(`/orgs/${organization_id}/members/${user_id}`, { role });
const roleOf = async (user: TestUser) => (await findMembership(app, user))!.role;
const roleChangesOf = ({ user_id }: TestUser) => auditOf(app, { resource_id: user_id, action: 'member.role_changed' });

const newTeam = async () => {
  owner = await founder(app);
  admin = await colleague(app, owner, 'admin');
  member = await colleague(app, owner);
};

describe('PATCH /orgs/:org_id/members/:user_id', () => {
  beforeAll(newTeam);

  it('a change is 200 with the member, and audited; the permissions of the member in the current session change at once', async () => {
    expect((await member.browser.get('/auth/session')).json.capabilities.role).toBe('member');
    const answer = await change(owner, member.user_id.toUpperCase(), 'admin');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      user_id: member.user_id,
      email: member.email,
      role: 'admin',
      status: 'active',
    });
    expect(await roleChangesOf(member)).toMatchObject([
      {
        actor_id: owner.user_id,
        organization_id: owner.organization_id,
        resource_type: 'member',
        metadata: { from: 'member', to: 'admin' },
      },
    ]);
    const { capabilities } = (await member.browser.get('/auth/session')).json;
    expect(capabilities).toMatchObject({ role: 'admin' });
    expect(capabilities.permissions).toContain('members.invite');
    expect((await change(owner, member.user_id, 'member')).status).toBe(200);
    expect((await change(member, admin.user_id, 'member')).status).toBe(403);
  });

  it('200 for the same role, and nothing is written', async () => {
    const before = await roleChangesOf(admin);
    expect((await change(owner, admin.user_id, 'admin')).json.role).toBe('admin');
    expect(await roleChangesOf(admin)).toEqual(before);
  });

  it('400 for an invalid role, naming the field; 403 is checked before the role, and 404 after it', async () => {
    for (const role of [undefined, null, 'Owner', 'god', 1, ['owner'], {}, 'admin\u0000']) {
      const answer = await change(owner, member.user_id, role);
      expect(answer.status, String(role)).toBe(400);
      expect(answer.json.error.message).toMatch(/^role: /);
      expect((await change(member, member.user_id, role)).status).toBe(403);
      expect((await change(owner, uuid(), role)).status).toBe(400);
    }
    const answer = await owner.browser.patch(`/orgs/${owner.organization_id}/members/${member.user_id}`, '[]');
    expect(answer.status).toBe(400);
  });

  it('404 for a user of another organization, a removed, deleted or unknown user, or a malformed id', async () => {
    const outsider = await founder(app);
    const removed = await colleague(app, owner);
    await owner.browser.delete(`/orgs/${owner.organization_id}/members/${removed.user_id}`);
    const deleted = await colleague(app, owner);
    await setUser(app, deleted.user_id, { status: 'deleted' });
    for (const id of [outsider.user_id, removed.user_id, deleted.user_id, uuid(), 'nobody', '%00']) {
      const answer = await change(owner, id, 'admin');
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect(await roleOf(outsider)).toBe('owner');
  });

  it('403 in another or unknown organization, for any target', async () => {
    const outsider = await founder(app);
    for (const [organization_id, user_id] of [
      [outsider.organization_id, outsider.user_id],
      [outsider.organization_id, member.user_id],
      [uuid(), member.user_id],
    ] as const) {
      expect((await change(owner, user_id, 'member', organization_id)).status).toBe(403);
    }
    expect(await roleOf(outsider)).toBe('owner');
  });

  it('401 without a session, 403 without CSRF', async () => {
    const path = `/orgs/${owner.organization_id}/members/${member.user_id}`;
    expect((await createBrowser(app).patch(path, { role: 'admin' })).status).toBe(401);
    const answer = await owner.browser.patch(path, { role: 'admin' }, { csrf: false });
    expect(answer.json.error.code).toBe('csrf_failed');
  });
});

describe('rank of the caller', () => {
  it.each([
    // actor, target, new role, status
    ['owner', 'admin', 'owner', 200],
    ['owner', 'owner', 'member', 200],
    ['admin', 'member', 'admin', 200],
    ['admin', 'admin', 'member', 200],
    ['admin', 'member', 'owner', 403],
    ['admin', 'admin', 'owner', 403],
    ['admin', 'owner', 'member', 403],
    ['admin', 'owner', 'owner', 403],
    ['member', 'member', 'member', 403],
    ['member', 'member', 'admin', 403],
  ] as const)(
    'a caller who is %s and changes the role of a user from %s to %s gets %i',
    async (actor, whom, to, status) => {
      const first = await founder(app);
      const acting = actor === 'owner' ? first : await colleague(app, first, actor);
      const target = await colleague(app, first, whom);
      expect((await change(acting, target.user_id, to)).status).toBe(status);
      expect(await roleOf(target)).toBe(status === 200 ? to : whom);
      expect(await roleChangesOf(target)).toHaveLength(status === 200 ? 1 : 0);
    },
  );

  it('a member can lower their own role, but not raise it', async () => {
    const first = await founder(app);
    const acting = await colleague(app, first, 'admin');
    expect((await change(acting, acting.user_id, 'owner')).status).toBe(403);
    expect((await change(acting, acting.user_id, 'member')).status).toBe(200);
    expect((await change(acting, acting.user_id, 'admin')).status).toBe(403);
  });

  it('the rank of the caller is checked again in the transaction, because the cached session may be stale', async () => {
    for (const end of [{ role: 'member' }, { role: 'admin' }, { revoked_at: app.clock.now() }] as const) {
      const first = await founder(app);
      const [second, target] = [await colleague(app, first, 'owner'), await colleague(app, first, 'owner')];
      await second.browser.get('/auth/session');
      await updateMembership(app, second, end);
      expect((await change(second, target.user_id, 'member')).status, JSON.stringify(end)).toBe(403);
      expect(await roleOf(target)).toBe('owner');
    }
  });

  it('a role that was granted on another replica takes effect at once', async () => {
    const first = await founder(app);
    const [second, target] = [await colleague(app, first), await colleague(app, first)];
    expect((await change(second, target.user_id, 'admin')).status).toBe(403);
    await updateMembership(app, second, { role: 'admin' });
    expect((await change(second, target.user_id, 'admin')).status).toBe(200);
  });
});

describe('the last owner of an organization', () => {
  it.each(ROLES.filter((role) => role !== 'owner'))('the last owner cannot become %s: 409', async (role) => {
    const first = await founder(app);
    await colleague(app, first, 'admin');
    const answer = await change(first, first.user_id, role);
    expect(answer.status).toBe(409);
    expect(answer.json.error).toMatchObject({ code: 'conflict', type: 'conflict' });
    expect(await roleOf(first)).toBe('owner');
    expect((await change(first, first.user_id, 'owner')).status).toBe(200);
  });

  it('the last owner can step down once there is another owner; a disabled or removed one does not count', async () => {
    const first = await founder(app);
    const [disabled, removed] = [await colleague(app, first, 'owner'), await colleague(app, first, 'owner')];
    await setUser(app, disabled.user_id, { status: 'disabled' });
    await first.browser.delete(`/orgs/${first.organization_id}/members/${removed.user_id}`);
    expect((await change(first, first.user_id, 'member')).status).toBe(409);
    await setUser(app, disabled.user_id, { status: 'active' });
    expect((await change(first, first.user_id, 'member')).status).toBe(200);
    expect(await listOwners(app, first.organization_id)).toEqual([disabled.user_id]);
  });

  it('a disabled owner can be demoted', async () => {
    const first = await founder(app);
    const disabled = await colleague(app, first, 'owner');
    await setUser(app, disabled.user_id, { status: 'disabled' });
    expect((await change(first, disabled.user_id, 'member')).status).toBe(200);
  });

  it.each(['demote', 'leave'] as const)(
    'if the only two owners step down at the same time (%s), one of them stays owner',
    async (how) => {
      const first = await founder(app);
      const owners = [first, await colleague(app, first, 'owner')];
      // Blocks inserts of audit rows, so that neither request can commit before both have begun.
      const blocker = await app.deps.db.startTransaction().execute();
      await sql`lock table audit_events in share mode`.execute(blocker);
      const asked = atOnce(2, (index) => {
        const { organization_id, user_id, access_token } = owners[index]!;
        const path = `/orgs/${organization_id}/members/${user_id}`;
        return how === 'leave'
          ? createBrowser(app).delete(path, bearer(access_token))
          : createBrowser(app).patch(path, { role: 'member' }, bearer(access_token));
      });
      await untilBlocked(app, 2);
      await blocker.commit().execute();
      expect(tally(await asked)).toEqual({ [how === 'leave' ? 204 : 200]: 1, 409: 1 });
      expect(await listOwners(app, first.organization_id)).toHaveLength(1);
    },
  );
});

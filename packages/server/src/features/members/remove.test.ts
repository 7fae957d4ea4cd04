import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { bearer, createBrowser, signInAgain, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findSession,
  findUser,
  join,
  liveSessions,
  lockUserRow,
  revocationsOf,
  setUser,
  suspendOrganization,
  untilBlocked,
} from '../../../test/records.ts';
import {
  colleague,
  findMembership,
  founder,
  insertMembership,
  teammate,
  updateMembership,
} from '../../../test/team.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

const remove = (actor: TestUser, user_id: string, organization_id = actor.organization_id) =>
  actor.browser.delete(`/orgs/${organization_id}/members/${user_id}`);
const removalsOf = ({ user_id }: TestUser) => auditOf(app, { resource_id: user_id, action: 'member.removed' });
const cleared = (lines: readonly string[]) =>
  lines.filter((line) => line.includes('Max-Age=0')).map((line) => line.split('=')[0]);
const isLive = async (user: TestUser) => (await findMembership(app, user))?.revoked_at === null;

describe('DELETE /orgs/:org_id/members/:user_id', () => {
  it('a removal is 204, also when repeated; it ends membership and sessions, which the feed lists, and is audited once', async () => {
    const member = await teammate(app, app, owner);
    const answer = await remove(owner, member.user_id.toUpperCase());
    expect(answer).toMatchObject({ status: 204, text: '', set_cookies: [] });
    expect(await findMembership(app, member)).toMatchObject({ revoked_at: app.clock.now(), role: 'member' });
    expect((await member.browser.get('/auth/session')).status).toBe(401);
    expect((await member.browser.post('/auth/refresh')).status).toBe(401);
    expect(await revocationsOf(app, member.session_id)).toHaveLength(1);
    expect((await remove(owner, member.user_id)).status).toBe(204);
    expect(await removalsOf(member)).toMatchObject([
      {
        actor_id: owner.user_id,
        organization_id: owner.organization_id,
        resource_type: 'member',
        metadata: { role: 'member', left: false },
      },
    ]);
  });

  it('account and sessions of a removed member in other organizations stay', async () => {
    const member = await teammate(app, app, owner);
    const elsewhere = createBrowser(app);
    const { organization_id } = await founder(app);
    await insertMembership(app, { organization_id, user_id: member.user_id });
    const { email, password } = member;
    expect((await elsewhere.post('/auth/login', { email, password, organization_id })).status).toBe(200);
    await remove(owner, member.user_id);
    const [left] = await liveSessions(app, member.user_id);
    expect((await findSession(app, left!)).organization_id).toBe(organization_id);
    expect((await elsewhere.get('/auth/session')).status).toBe(200);
    const again = await createBrowser(app).post('/auth/login', {
      email,
      password,
      organization_id: owner.organization_id,
    });
    expect(again.status).toBe(403);
    expect((await signInAgain(app, member)).jar.size).toBe(3);
  });

  it('a removal clears last_organization_id only if it names this organization, so that later audit rows do not name it', async () => {
    const [member, other] = [await teammate(app, app, owner), await teammate(app, app, owner)];
    const { user_id } = member;
    expect(await findUser(app, user_id)).toMatchObject({ last_organization_id: owner.organization_id });
    await remove(owner, user_id);
    expect(await findUser(app, user_id)).toMatchObject({ last_organization_id: null });
    const admin = await insertAdministrator(app);
    expect((await admin.patch(`/admin/users/${user_id}`, { status: 'disabled' })).status).toBe(200);
    const [row] = await auditOf(app, { resource_id: user_id, action: 'user.disabled' });
    expect(row!.organization_id).toBe(NIL_UUID);
    const elsewhere = await join(app, other.user_id);
    await setUser(app, other.user_id, { last_organization_id: elsewhere });
    await remove(other, other.user_id);
    expect(await findUser(app, other.user_id)).toMatchObject({ last_organization_id: elsewhere });
  });

  it('404 for a user who never was a member, an unknown or a malformed id', async () => {
    const outsider = await founder(app);
    for (const id of [outsider.user_id, uuid(), 'nobody', '%00']) {
      const answer = await remove(owner, id);
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect(await isLive(outsider)).toBe(true);
  });

  it('403 in another or unknown organization, also for oneself', async () => {
    const [outsider, member] = [await founder(app), await colleague(app, owner)];
    for (const [organization_id, user_id] of [
      [outsider.organization_id, outsider.user_id],
      [outsider.organization_id, member.user_id],
      [uuid(), member.user_id],
    ] as const) {
      expect((await remove(member, user_id, organization_id)).status).toBe(403);
      expect((await remove(owner, user_id, organization_id)).status).toBe(403);
    }
    expect(await isLive(outsider)).toBe(true);
  });

  it('401 without a session, 403 without CSRF', async () => {
    const member = await colleague(app, owner);
    const path = `/orgs/${owner.organization_id}/members/${member.user_id}`;
    expect((await createBrowser(app).delete(path)).status).toBe(401);
    expect((await owner.browser.delete(path, { csrf: false })).json.error.code).toBe('csrf_failed');
    expect(await isLive(member)).toBe(true);
  });
});

describe('rank of the caller', () => {
  it.each([
    ['owner', 'owner', 204],
    ['owner', 'admin', 204],
    ['owner', 'member', 204],
    ['admin', 'admin', 204],
    ['admin', 'member', 204],
    ['admin', 'owner', 403],
    ['member', 'member', 403],
    ['member', 'admin', 403],
  ] as const)('a caller who is %s and removes a user who is %s gets %i', async (actor, whom, status) => {
    const acting = actor === 'owner' ? owner : await colleague(app, owner, actor);
    const target = await colleague(app, owner, whom);
    expect((await remove(acting, target.user_id)).status).toBe(status);
    expect(await isLive(target)).toBe(status === 403);
  });

  it('the rank of the caller is checked again in the transaction', async () => {
    const [admin, target] = [await colleague(app, owner, 'admin'), await colleague(app, owner)];
    await admin.browser.get('/auth/session');
    for (const end of [{ role: 'member' }, { role: 'admin', revoked_at: app.clock.now() }] as const) {
      await updateMembership(app, admin, end);
      expect((await remove(admin, target.user_id)).status).toBe(403);
    }
    expect(await isLive(target)).toBe(true);
  });
});

describe('leaving an organization', () => {
  it.each(['member', 'admin', 'owner'] as const)('every role can leave: %s', async (role) => {
    const user = await colleague(app, owner, role);
    const answer = await remove(user, user.user_id);
    expect(answer.status).toBe(204);
    expect(cleared(answer.set_cookies)).toEqual(['service_at', 'service_rt', 'service_csrf']);
    expect((await createBrowser(app).get('/auth/session', bearer(user.access_token))).status).toBe(401);
    expect(await removalsOf(user)).toMatchObject([{ actor_id: user.user_id, metadata: { role, left: true } }]);
  });

  it('leaving by Bearer does not clear cookies, which may belong to another session', async () => {
    const user = await colleague(app, owner);
    const path = `/orgs/${owner.organization_id}/members/${user.user_id}`;
    const answer = await createBrowser(app).delete(path, bearer(user.access_token));
    expect(answer).toMatchObject({ status: 204, set_cookies: [] });
  });

  it('a second request to leave, from a session that is still cached, is 204', async () => {
    const repeat = async () => {
      const user = await colleague(app, await founder(app));
      await user.browser.get('/auth/session');
      await updateMembership(app, user, { revoked_at: app.clock.now() });
      const { status } = await remove(user, user.user_id);
      return { status, removals: await removalsOf(user) };
    };
    // A late bus notification of the sign-in may remove the session from the cache; the response is then 401.
    await expect.poll(repeat).toEqual({ status: 204, removals: [] });
  });
});

describe('the last owner of an organization', () => {
  it('the last owner cannot leave: 409, and nothing changes', async () => {
    const first = await founder(app);
    await colleague(app, first, 'admin');
    const answer = await remove(first, first.user_id);
    expect(answer.status).toBe(409);
    expect(answer.json.error.code).toBe('conflict');
    expect(answer.set_cookies).toEqual([]);
    expect(await isLive(first)).toBe(true);
    expect((await first.browser.get('/auth/session')).status).toBe(200);
    expect(await removalsOf(first)).toEqual([]);
  });

  it('a disabled owner does not count as another owner, and can be removed', async () => {
    const first = await founder(app);
    const disabled = await colleague(app, first, 'owner');
    await setUser(app, disabled.user_id, { status: 'disabled' });
    expect((await remove(first, first.user_id)).status).toBe(409);
    expect((await remove(first, disabled.user_id)).status).toBe(204);
    expect((await remove(first, first.user_id)).status).toBe(409);
  });

  it('an owner can leave once there is another one', async () => {
    const first = await founder(app);
    const second = await colleague(app, first, 'owner');
    expect((await remove(first, first.user_id)).status).toBe(204);
    expect((await remove(second, second.user_id)).status).toBe(409);
  });
});

describe('the last membership through which a platform owner can sign in', () => {
  let root: TestUser;
  beforeEach(async () => {
    await app.deps.db.updateTable('users').set({ platform_role: null }).where('platform_role', '=', 'owner').execute();
    root = await colleague(app, owner);
    await setUser(app, root.user_id, { platform_role: 'owner' });
  });

  it('can be neither removed nor left: 409', async () => {
    for (const answer of [await remove(owner, root.user_id), await remove(root, root.user_id)]) {
      expect(answer.status).toBe(409);
      expect(answer.json.error.message).toMatch(/^no platform owner could sign in afterwards/);
    }
    expect(await isLive(root)).toBe(true);
    expect(await removalsOf(root)).toEqual([]);
    expect((await root.browser.get('/auth/session')).status).toBe(200);
  });

  it('a membership of the only platform owner can be removed if the user has another membership, not in a suspended organization', async () => {
    await suspendOrganization(app, await join(app, root.user_id));
    expect((await remove(owner, root.user_id)).status).toBe(409);
    await join(app, root.user_id);
    expect((await remove(owner, root.user_id)).status).toBe(204);
  });

  it('a membership of a platform owner can be removed if another platform owner is active, also in the same organization', async () => {
    const second = await colleague(app, owner);
    await setUser(app, second.user_id, { platform_role: 'owner', status: 'disabled' });
    expect((await remove(owner, root.user_id)).status).toBe(409);
    expect((await remove(owner, second.user_id)).status).toBe(204);
    const third = await colleague(app, owner);
    await setUser(app, third.user_id, { platform_role: 'owner' });
    expect((await remove(owner, root.user_id)).status).toBe(204);
    expect((await remove(owner, third.user_id)).status).toBe(409);
  });

  it('a removal is 409 for a user who concurrently becomes the only platform owner', async () => {
    await setUser(app, root.user_id, { platform_role: null });
    const letGo = await lockUserRow(app, root.user_id);
    const asked = remove(owner, root.user_id);
    await untilBlocked(app, 1);
    await letGo((tx) =>
      tx.updateTable('users').set({ platform_role: 'owner' }).where('id', '=', root.user_id).execute(),
    );
    expect((await asked).status).toBe(409);
    expect(await isLive(root)).toBe(true);
  });

  it('of two platform owners who leave concurrently, one stays', async () => {
    for (let round = 0; round < 2; round++) {
      const second = await colleague(app, await founder(app));
      await setUser(app, second.user_id, { platform_role: 'owner' });
      const answers = await Promise.all([remove(root, root.user_id), remove(second, second.user_id)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      if (answers[0]!.status === 204) root = second;
    }
  });
});

import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { claimsOf, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, setUser } from '../../../test/records.ts';
import { colleague, founder, teammate, updateMembership } from '../../../test/team.ts';
import {
  assign,
  createGlobalRole,
  createRole,
  declare,
  giveRoles,
  insertRole,
  rolesPath,
} from '../roles/roles-fixture.ts';

const app = useTestApp({ environment: { LIMIT_ROLE_WRITES: '30/10m' } });
let admin: Administrator;
let owner: TestUser;
beforeAll(async () => {
  admin = await insertAdministrator(app);
  owner = await founder(app);
  await declare(app, 'invoices.read', 'invoices.write', 'notes.approve');
});

const capabilities = async (user: TestUser) => (await user.browser.get('/auth/session')).json.capabilities;
const members = async (by: TestUser) => (await by.browser.get(`/orgs/${by.organization_id}/members`)).json.items;
const events = (user_id: string) => auditOf(app, { resource_id: user_id, action: 'member.roles_changed' });

describe('PUT /orgs/:org_id/members/:user_id/roles', () => {
  it('200 member with roles sorted by slug, as in the member list; audited; an unchanged list of roles writes nothing', async () => {
    const member = await colleague(app, owner);
    const [b, a] = [
      await createRole(owner, { name: 'Writer', slug: 'b-writer', permissions: ['invoices.write'] }),
      await createGlobalRole(admin, { name: 'Reader', slug: 'a-reader', permissions: ['invoices.read'] }),
    ];
    const answer = await assign(owner, member.user_id, [b.id, a.id.toUpperCase(), b.id]);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ user_id: member.user_id, role: 'member' });
    expect(answer.json.roles).toEqual([
      { id: a.id, slug: 'a-reader', name: 'Reader' },
      { id: b.id, slug: 'b-writer', name: 'Writer' },
    ]);
    expect(await members(owner)).toContainEqual(answer.json);
    const { result, rows } = await countingRows(app, ['audit_events', 'refreshes', 'rate_counters'], () =>
      assign(owner, member.user_id, [a.id, b.id]),
    );
    expect(result.json).toEqual(answer.json);
    expect(rows).toEqual({ audit_events: 0, refreshes: 0, rate_counters: 0 });
    expect((await assign(owner, member.user_id, [b.id])).json.roles).toHaveLength(1);
    expect(await events(member.user_id)).toMatchObject([
      { actor_id: owner.user_id, metadata: { added: [b.id, a.id], removed: [] } },
      { actor_id: owner.user_id, metadata: { added: [], removed: [a.id] } },
    ]);
  });

  it('takes effect in existing sessions at once: capabilities have all slugs and permissions, sorted', async () => {
    const member = await colleague(app, owner);
    expect(await capabilities(member)).toMatchObject({ roles: [], permissions: ['members.list', 'org.read'] });
    const [one, two] = [
      await createRole(owner, { name: 'Z', slug: 'zz', permissions: ['notes.approve', 'members.invite'] }),
      await createRole(owner, { name: 'A', slug: 'aa', permissions: ['members.list', 'invoices.read'] }),
    ];
    await assign(owner, member.user_id, [one.id, two.id]);
    expect(await capabilities(member)).toEqual({
      role: 'member',
      roles: ['aa', 'zz'],
      permissions: ['invoices.read', 'members.invite', 'members.list', 'notes.approve', 'org.read'],
      platform_role: null,
    });
    await owner.browser.patch(rolesPath(owner, two.id), { permissions: [], slug: 'mm' });
    expect(await capabilities(member)).toMatchObject({
      roles: ['mm', 'zz'],
      permissions: ['members.invite', 'members.list', 'notes.approve', 'org.read'],
    });
    await owner.browser.patch(rolesPath(owner, two.id), { slug: 'nn' });
    expect((await capabilities(member)).roles).toEqual(['nn', 'zz']);
    await owner.browser.delete(rolesPath(owner, one.id));
    expect(await capabilities(member)).toMatchObject({ roles: ['nn'], permissions: ['members.list', 'org.read'] });
    expect((await members(owner)).find(({ user_id }: TestUser) => user_id === member.user_id).roles).toHaveLength(1);
  });

  it.each([
    ['an unknown id', async () => uuid()],
    ['a role of another organization', async () => (await createRole(await founder(app), { name: 'There' })).id],
    [
      'a deleted role',
      async () => {
        const { id } = await createRole(owner, { name: 'Deleted' });
        await owner.browser.delete(rolesPath(owner, id));
        return id;
      },
    ],
  ])('400 for %s, and nothing changes', async (_what, find) => {
    const member = await colleague(app, owner);
    const good = await createRole(owner, { name: 'Good' });
    const answer = await assign(owner, member.user_id, [good.id, await find()]);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
    expect(answer.json.error.message).toMatch(/^role_ids: /);
    expect(await events(member.user_id)).toEqual([]);
  });

  it.each([undefined, null, 'x', ['not-an-id'], [7], { 0: 'x' }])('400 for role_ids %j', async (role_ids) => {
    const path = `/orgs/${owner.organization_id}/members/${owner.user_id}/roles`;
    expect((await owner.browser.send('PUT', path, { body: { role_ids } })).status).toBe(400);
  });

  it('404 for a user who is not a member, a former member and a deleted user; 403 in another organization', async () => {
    const [outsider, left, deleted] = [await founder(app), await colleague(app, owner), await colleague(app, owner)];
    await updateMembership(app, left, { revoked_at: app.clock.now() });
    await setUser(app, deleted.user_id, { status: 'deleted' });
    for (const { user_id } of [outsider, left, deleted]) {
      expect((await assign(owner, user_id, [])).status).toBe(404);
    }
    expect((await assign({ ...owner, organization_id: outsider.organization_id }, outsider.user_id, [])).status).toBe(
      403,
    );
  });
});

describe('permission to assign roles', () => {
  it.each([
    ['member', 'member', 403],
    ['admin', 'member', 200],
    ['admin', 'admin', 200],
    ['admin', 'owner', 403],
    ['owner', 'owner', 200],
  ] as const)('a caller who is %s and assigns roles to a user who is %s gets %i', async (actor, target, status) => {
    const first = await founder(app);
    const acting = actor === 'owner' ? first : await colleague(app, first, actor);
    const { id } = await createRole(first, { name: 'Empty' });
    const { user_id } = await colleague(app, first, target);
    expect((await assign(acting, user_id, [id])).status).toBe(status);
    expect(await events(user_id)).toHaveLength(status === 200 ? 1 : 0);
  });

  it('a caller who is not an owner needs every permission of the roles that the member has before and after the change', async () => {
    const first = await founder(app);
    const { organization_id } = first;
    const [acting, member] = [await colleague(app, first, 'admin'), await colleague(app, first)];
    const [held, other] = [
      await insertRole(app, { organization_id, permissions: ['invoices.read', 'members.invite'] }),
      await insertRole(app, { organization_id, permissions: ['notes.approve'] }),
    ];
    expect((await assign(acting, member.user_id, [held])).status).toBe(403);
    await giveRoles(app, acting, held);
    expect((await assign(acting, member.user_id, [held])).status).toBe(200);
    expect((await assign(acting, member.user_id, [held, other])).status).toBe(403);
    expect((await assign(acting, acting.user_id, [other])).status).toBe(403);
    expect((await assign(first, member.user_id, [held, other])).status).toBe(200);
    expect((await assign(acting, member.user_id, [held])).status).toBe(403);
    expect((await assign(acting, member.user_id, [])).status).toBe(403);
    expect((await assign(first, member.user_id, [])).status).toBe(200);
  });

  it('the caller is checked again in the transaction, because the cached session may be stale', async () => {
    const first = await founder(app);
    const [member, acting] = [await colleague(app, first), await colleague(app, first)];
    const manager = await insertRole(app, { organization_id: first.organization_id, permissions: ['roles.manage'] });
    await giveRoles(app, acting, manager);
    expect((await assign(acting, member.user_id, [manager])).status).toBe(200);
    await app.deps.db.deleteFrom('member_roles').where('user_id', '=', acting.user_id).execute();
    expect((await assign(acting, member.user_id, [])).status).toBe(403);
  });

  it('a change counts towards the limit of role writes of the organization: 429 above the limit', async () => {
    const first = await founder(app);
    const member = await colleague(app, first);
    const { id } = await createRole(first, { name: 'R' });
    for (let index = 1; index < 30; index++) {
      expect((await assign(first, member.user_id, index % 2 ? [id] : [])).status).toBe(200);
    }
    expect((await assign(first, member.user_id, [])).status).toBe(429);
    const path = `/orgs/${first.organization_id}/members/${member.user_id}`;
    expect((await first.browser.patch(path, { role: 'admin' })).status).toBe(200);
  });
});

describe("the service's own permissions in a role", () => {
  it('let a member invite and remove users up to their own rank, but not above it', async () => {
    const first = await founder(app);
    const [acting, member, boss] = [
      await colleague(app, first),
      await colleague(app, first),
      await colleague(app, first, 'admin'),
    ];
    const path = (user_id: string) => `/orgs/${first.organization_id}/members/${user_id}`;
    expect((await acting.browser.delete(path(member.user_id))).status).toBe(403);
    const permissions = ['members.remove', 'members.invite', 'members.update_role'];
    const { id } = await createRole(first, { name: 'Helper', permissions });
    await assign(first, acting.user_id, [id]);
    expect((await acting.browser.patch(path(member.user_id), { role: 'admin' })).status).toBe(403);
    expect((await acting.browser.delete(path(boss.user_id))).status).toBe(403);
    expect((await acting.browser.delete(path(member.user_id))).status).toBe(204);
    const invite = (role: string) =>
      acting.browser.post(`/orgs/${first.organization_id}/invitations`, { email: `${uuid()}@example.com`, role });
    expect((await invite('admin')).status).toBe(403);
    expect((await invite('member')).status).toBe(201);
    await first.browser.patch(rolesPath(first, id), { permissions: [] });
    expect((await invite('member')).status).toBe(403);
  });
});

describe('leaving an organization', () => {
  it.each(['leaves', 'is removed', 'is deleted'])('a member who %s loses all roles', async (how) => {
    const first = await founder(app);
    const member = await colleague(app, first);
    const { id } = await createRole(first, { name: 'R' });
    await assign(first, member.user_id, [id]);
    const path = `/orgs/${first.organization_id}/members/${member.user_id}`;
    if (how === 'leaves') await member.browser.delete(path);
    else if (how === 'is removed') await first.browser.delete(path);
    else await admin.delete(`/admin/users/${member.user_id}`);
    const left = app.deps.db.selectFrom('member_roles').selectAll().where('user_id', '=', member.user_id);
    expect(await left.execute()).toEqual([]);
  });
});

describe('access tokens of members', () => {
  it('contain the base role, the sorted permissions of the product, and the time at which these were read', async () => {
    const member = await teammate(app, app, owner);
    expect(claimsOf(member.access_token)).toMatchObject({ role: 'member', perms: [] });
    const { id } = await createRole(owner, {
      name: 'R',
      permissions: ['notes.approve', 'members.invite', 'invoices.read'],
    });
    await assign(owner, member.user_id, [id]);
    const before = Date.now();
    const { json } = await member.browser.post('/auth/refresh');
    const claims = claimsOf(json.access_token);
    expect(claims).toMatchObject({ role: 'member', perms: ['invoices.read', 'notes.approve'] });
    expect(claims).not.toHaveProperty('perms_omitted');
    expect(Number.isInteger(claims.perms_at)).toBe(true);
    expect(Math.abs(claims.perms_at - before)).toBeLessThan(60_000);
  });

  it.each([
    ['login', async ({ browser, email, password }: TestUser) => browser.post('/auth/login', { email, password })],
    [
      'renewed access',
      async ({ browser, organization_id }: TestUser) => browser.post('/auth/organization', { organization_id }),
    ],
  ])('of a %s contain base role and permissions, and the response has the capabilities', async (_what, signIn) => {
    const account = await registerUser(app);
    await giveRoles(app, account, await insertRole(app, { slug: `r-${uuid()}`, permissions: ['notes.approve'] }));
    const { json } = await signIn(account);
    expect(claimsOf(json.access_token)).toMatchObject({ role: 'owner', perms: ['notes.approve'] });
    expect(json.capabilities.permissions).toContain('notes.approve');
    expect(json.capabilities.roles).toHaveLength(1);
  });

  it('omit the permissions if these are longer than 1,024 bytes as JSON', async () => {
    const account = await registerUser(app);
    const names = Array.from({ length: 13 }, (_, index) => `${'p'.repeat(70)}.x${String(index).padStart(4, '0')}`);
    expect(JSON.stringify(names.slice(0, 12)).length).toBeLessThanOrEqual(1024);
    expect(JSON.stringify(names).length).toBeGreaterThan(1024);
    await giveRoles(app, account, await insertRole(app, { permissions: names.slice(0, 12) }));
    const claims = async () => claimsOf((await account.browser.post('/auth/refresh')).json.access_token);
    expect(await claims()).toMatchObject({ perms: names.slice(0, 12) });
    await giveRoles(app, account, await insertRole(app, { permissions: names }));
    const omitted = await claims();
    expect(omitted).toMatchObject({ perms_omitted: true, perms_at: expect.any(Number) });
    expect(omitted).not.toHaveProperty('perms');
  });
});

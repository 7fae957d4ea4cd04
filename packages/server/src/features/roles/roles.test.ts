import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import type { TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows } from '../../../test/records.ts';
import { colleague, founder, updateMembership } from '../../../test/team.ts';
import { deleteOldRoles } from '../../domain/roles/queries.ts';
import { createGlobalRole, createRole, declare, giveRoles, insertRole, rolesPath } from './roles-fixture.ts';

const app = useTestApp();
let admin: Administrator;
let owner: TestUser;
beforeAll(async () => {
  admin = await insertAdministrator(app);
  owner = await founder(app);
  await declare(app, 'invoices.read', 'invoices.write', 'notes.approve');
});

const post = (by: TestUser, body: object) => by.browser.post(rolesPath(by), body);
const patch = (by: TestUser, id: string, body: object) => by.browser.patch(rolesPath(by, id), body);
const remove = (by: TestUser, id: string) => by.browser.delete(rolesPath(by, id));
const list = async (by: TestUser) => (await by.browser.get(rolesPath(by))).json.items;
const events = (id: string) => auditOf(app, { resource_id: id });

/** The same requests for a role of an organization and for a global one. */
const PLACES = [
  ['an organization', (method: string, id?: string) => ({ by: owner.browser, method, path: rolesPath(owner, id) })],
  ['the platform', (method: string, id?: string) => ({ by: admin, method, path: `/admin/roles${id ? `/${id}` : ''}` })],
] as const;

describe.each(PLACES)('roles of %s', (name, place) => {
  const send = (method: 'post' | 'patch' | 'delete' | 'get', body?: object, id?: string) => {
    const { by, path } = place(method, id);
    return method === 'get' || method === 'delete' ? by[method](path) : by[method](path, body);
  };
  const scope = name === 'the platform' ? 'global' : 'organization';
  const organization_id = () => (name === 'the platform' ? null : owner.organization_id);

  it('POST returns 201 with defaults, and is audited', async () => {
    const answer = await send('post', { name: ` Plain ${scope} ` });
    expect(answer.status).toBe(201);
    const at = app.clock.now().toISOString();
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      organization_id: organization_id(),
      name: `Plain ${scope}`,
      slug: `plain-${scope}`,
      description: null,
      permissions: [],
      created_at: at,
      updated_at: at,
    });
    expect((await send('get')).json.items).toContainEqual(answer.json);
    expect(await events(answer.json.id)).toMatchObject([
      {
        action: 'role.created',
        resource_type: 'role',
        organization_id: organization_id() ?? '00000000-0000-0000-0000-000000000000',
        metadata: { scope, permissions: [] },
      },
    ]);
  });

  it('sorts permissions and removes duplicates', async () => {
    const permissions = ['notes.approve', 'invoices.read', 'members.invite', 'notes.approve'];
    const { json } = await send('post', { name: 'Some', permissions });
    expect(json.permissions).toEqual(['invoices.read', 'members.invite', 'notes.approve']);
  });

  it.each([
    {},
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(121) },
    { name: 'two\nlines' },
    { name: 'R', slug: 'Not-A-Slug' },
    { name: 'R', slug: 'x' },
    { name: 'R', slug: 'x'.repeat(64) },
    { name: 'R', slug: 'owner' },
    { name: 'R', slug: 'admin' },
    { name: 'R', slug: 'member' },
    { name: 'R', slug: 'machine' },
    { name: 'R', description: 'x'.repeat(501) },
    { name: 'R', permissions: 'invoices.read' },
    { name: 'R', permissions: ['invoices.unknown'] },
    { name: 'R', permissions: ['org.update'] },
    { name: 'R', permissions: ['policy.manage'] },
    { name: 'R', permissions: ['sso.manage'] },
    { name: 'R', permissions: ['org.unknown'] },
    { name: 'R', permissions: [7] },
  ])('POST returns 400 for %j', async (body) => {
    const { result, rows } = await countingRows(app, ['roles', 'audit_events'], () => send('post', body));
    expect(result).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
    expect(rows).toEqual({ roles: 0, audit_events: 0 });
  });

  it('a name whose slug would be empty or that of a base role gets another slug', async () => {
    expect((await send('post', { name: 'Owner' })).json.slug).toMatch(/^owner-[0-9a-f]{6}$/);
    expect((await send('post', { name: '役割' })).json.slug).toMatch(/^role-[0-9a-f]{8}$|^yi-ge$/);
  });

  it('PATCH changes the given fields; a PATCH without a change is not audited', async () => {
    const { json: role } = await send('post', { name: 'Before', permissions: ['invoices.read'] });
    app.clock.advance(1);
    const answer = await send('patch', { name: 'After', permissions: ['notes.approve'] }, role.id);
    expect(answer.status).toBe(200);
    const updated_at = app.clock.now().toISOString();
    expect(answer.json).toEqual({ ...role, name: 'After', permissions: ['notes.approve'], updated_at });
    app.clock.advance(1);
    expect((await send('patch', { name: 'After' }, role.id)).json).toEqual(answer.json);
    expect((await send('patch', {}, role.id)).json).toEqual(answer.json);
    expect((await send('patch', { description: 'New', slug: `new-${role.id}` }, role.id)).json).toMatchObject({
      description: 'New',
      slug: `new-${role.id}`,
    });
    expect((await send('patch', { description: null }, role.id)).json.description).toBe(null);
    expect((await send('patch', { permissions: ['org.update'] }, role.id)).status).toBe(400);
    expect((await send('patch', { slug: 'owner' }, role.id)).status).toBe(400);
    const rows = await events(role.id);
    expect(rows.map(({ metadata }) => metadata)).toMatchObject([
      { permissions: ['invoices.read'] },
      { scope, fields: ['name', 'permissions'], added: ['notes.approve'], removed: ['invoices.read'] },
      { fields: ['slug', 'description'], added: [], removed: [] },
      { fields: ['description'] },
    ]);
  });

  it('DELETE returns 204, also when repeated; 404 for an unknown id and, 90 days after the deletion, for this role', async () => {
    const { json: role } = await send('post', { name: 'Short-lived', slug: `short-${scope}` });
    expect((await send('delete', undefined, role.id)).status).toBe(204);
    expect((await send('delete', undefined, role.id)).status).toBe(204);
    expect((await send('patch', { name: 'X' }, role.id)).status).toBe(404);
    expect((await send('delete', undefined, uuid())).status).toBe(404);
    expect((await send('delete', undefined, 'not-an-id')).status).toBe(404);
    expect((await events(role.id)).map(({ action }) => action)).toEqual(['role.created', 'role.deleted']);
    expect((await send('post', { name: 'Again', slug: `short-${scope}` })).status).toBe(201);
    await deleteOldRoles(app.deps.db, new Date(app.clock.now().getTime() + 91 * 86_400_000), 1000);
    expect((await send('delete', undefined, role.id)).status).toBe(404);
  });

  it('409 for the 101st role', async () => {
    const place = name === 'the platform' ? null : owner.organization_id;
    const known = name === 'the platform' ? (await admin.get('/admin/roles')).json.items : await list(owner);
    const count = known.filter((role: { organization_id: string | null }) => role.organization_id === place).length;
    const ids = [];
    for (let index = count; index < 100; index++) ids.push(await insertRole(app, { organization_id: place }));
    expect(await send('post', { name: 'More' })).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
    expect((await send('delete', undefined, ids[0])).status).toBe(204);
    expect((await send('post', { name: 'More' })).status).toBe(201);
    await app.deps.db.deleteFrom('roles').where('id', 'in', ids).execute();
  });
});

describe('slugs of roles', () => {
  it('are unique among the roles of an organization and the global ones: 409', async () => {
    const [mine, other] = [await founder(app), await founder(app)];
    await createRole(mine, { name: 'Local', slug: 'a-local' });
    await createGlobalRole(admin, { name: 'Global', slug: 'a-global' });
    expect((await post(mine, { name: 'X', slug: 'a-local' })).status).toBe(409);
    expect((await post(mine, { name: 'X', slug: 'a-global' })).status).toBe(409);
    expect((await admin.post('/admin/roles', { name: 'X', slug: 'a-local' })).status).toBe(409);
    expect((await post(other, { name: 'X', slug: 'a-local' })).status).toBe(201);
    const { id } = await createRole(mine, { name: 'Third' });
    expect((await patch(mine, id, { slug: 'a-local' })).status).toBe(409);
    expect((await patch(mine, id, { slug: 'a-global' })).status).toBe(409);
    expect((await patch(mine, id, { slug: 'third' })).status).toBe(200);
    // A slug derived from the name gets a random suffix if it is taken.
    expect((await createRole(mine, { name: 'A global' })).slug).toMatch(/^a-global-[0-9a-f]{6}$/);
  });
});

describe('roles of an organization and global roles', () => {
  it('GET /orgs/:org_id/roles lists global roles first, then those of the organization, never those of another one', async () => {
    const [mine, other] = [await founder(app), await founder(app)];
    const global = await createGlobalRole(admin, { name: 'Aaa everywhere' });
    const own = await createRole(mine, { name: 'AA here' });
    const foreign = await createRole(other, { name: 'There' });
    const member = await colleague(app, mine);
    const items = await list(member);
    expect(items).toContainEqual(global);
    expect(items.at(-1)).toEqual(own);
    expect(items).not.toContainEqual(foreign);
    expect((await admin.get('/admin/roles')).json.items).not.toContainEqual(own);
  });

  it('404 for a global role below /orgs/:org_id, for a role of an organization at /admin/roles, and for a role of another organization', async () => {
    const [mine, other] = [await founder(app), await founder(app)];
    const global = await createGlobalRole(admin, { name: 'Everywhere' });
    const own = await createRole(mine, { name: 'Here' });
    for (const answer of [
      await patch(mine, global.id, { name: 'X' }),
      await remove(mine, global.id),
      await admin.patch(`/admin/roles/${own.id}`, { name: 'X' }),
      await admin.delete(`/admin/roles/${own.id}`),
      await patch(other, own.id, { name: 'X' }),
      await remove(other, own.id),
    ]) {
      expect(answer).toMatchObject({ status: 404, json: { error: { code: 'not_found' } } });
    }
    expect(await list(mine)).toEqual(expect.arrayContaining([global, own]));
  });
});

describe('roles with permissions that the caller does not have', () => {
  const accountant = async (first: TestUser): Promise<TestUser> => {
    const user = await colleague(app, first, 'admin');
    const { organization_id } = first;
    await giveRoles(app, user, await insertRole(app, { organization_id, permissions: ['invoices.read'] }));
    return user;
  };

  it.each([
    [[], 201],
    [['invoices.read', 'members.invite', 'roles.manage'], 201],
    [['invoices.write'], 403],
    [['invoices.read', 'notes.approve'], 403],
  ])('an admin who creates a role with permissions %j gets %i; owners may use any', async (permissions, status) => {
    const first = await founder(app);
    const answer = await post(await accountant(first), { name: 'R', permissions });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.json.error).toMatchObject({ code: 'forbidden' });
    expect((await post(first, { name: 'R', permissions })).status).toBe(201);
  });

  it.each([
    [['invoices.read'], { permissions: [] }, 200],
    [['invoices.read'], { permissions: ['invoices.read', 'notes.approve'] }, 403],
    [['notes.approve'], { permissions: [] }, 403],
    [['notes.approve'], { name: 'Other' }, 403],
    [['notes.approve'], {}, 403],
    [[], { permissions: ['notes.approve'] }, 403],
  ])('an admin who changes a role with permissions %j by %j gets %i', async (permissions, change, status) => {
    const first = await founder(app);
    const { id } = await createRole(first, { name: 'R', permissions });
    expect((await patch(await accountant(first), id, change)).status).toBe(status);
  });

  it('an administrator deletes only a role whose permissions they have', async () => {
    const first = await founder(app);
    const user = await accountant(first);
    const [held, other] = [
      await createRole(first, { name: 'Held', permissions: ['invoices.read'] }),
      await createRole(first, { name: 'Other', permissions: ['notes.approve'] }),
    ];
    expect((await remove(user, held.id)).status).toBe(204);
    expect((await remove(user, other.id)).status).toBe(403);
    expect((await remove(first, other.id)).status).toBe(204);
  });

  it('a permission that the caller lost a moment ago does not count, nor one held in another organization', async () => {
    const [first, elsewhere] = [await founder(app), await founder(app)];
    const user = await accountant(first);
    await user.browser.get('/auth/session');
    await app.deps.db.deleteFrom('member_roles').where('user_id', '=', user.user_id).execute();
    expect((await post(user, { name: 'R', permissions: ['invoices.read'] })).status).toBe(403);
    await giveRoles(app, elsewhere, await insertRole(app, { permissions: ['invoices.read'] }));
    expect((await post(user, { name: 'R', permissions: ['invoices.read'] })).status).toBe(403);
  });

  it('members need roles.manage, which a role can give; the permission is checked again in the transaction', async () => {
    const first = await founder(app);
    const member = await colleague(app, first);
    expect((await post(member, { name: 'R' })).status).toBe(403);
    await giveRoles(app, member, await insertRole(app, { permissions: ['roles.manage'] }));
    expect((await post(member, { name: 'R' })).status).toBe(201);
    expect((await post(member, { name: 'R', permissions: ['members.invite'] })).status).toBe(403);
    await app.deps.db.deleteFrom('member_roles').where('user_id', '=', member.user_id).execute();
    const { result, rows } = await countingRows(app, ['roles', 'audit_events'], () => post(member, { name: 'R' }));
    expect(result.status).toBe(403);
    expect(rows).toEqual({ roles: 0, audit_events: 0 });
    const admin = await colleague(app, first, 'admin');
    await admin.browser.get('/auth/session');
    await updateMembership(app, admin, { role: 'member' });
    expect((await post(admin, { name: 'R' })).status).toBe(403);
  });
});

describe('the limit of role writes', () => {
  it('60 writes per 10 minutes for an organization, another 60 for global roles; rejected writes and those without a change do not count', async () => {
    const [first, other] = [await founder(app), await founder(app)];
    const { id } = await createRole(first, { name: 'R0' });
    for (let index = 1; index < 60; index++) {
      expect((await patch(first, id, { name: `R${index}` })).status).toBe(200);
      if (index % 20 === 0) {
        expect((await patch(first, id, { name: `R${index}` })).status).toBe(200);
        expect((await patch(first, id, { slug: 'owner' })).status).toBe(400);
      }
    }
    const limited = await patch(first, id, { name: 'R60' });
    expect(limited).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await list(first)).find((role: { id: string }) => role.id === id).name).toBe('R59');
    expect((await remove(first, id)).status).toBe(429);
    expect((await post(first, { name: 'X' })).status).toBe(429);
    expect((await post(other, { name: 'X' })).status).toBe(201);
    expect((await admin.post('/admin/roles', { name: 'Still global' })).status).toBe(201);
    app.clock.advance(601);
    expect((await patch(first, id, { name: 'R60' })).status).toBe(200);
  });
});

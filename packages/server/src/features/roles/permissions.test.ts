import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, setUser } from '../../../test/records.ts';
import { createClient } from '../oauth-server/provider-fixture.ts';
import { declare, insertRole } from './roles-fixture.ts';

const app = useTestApp();
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
});

const put = (name: string, body: object = {}) => admin.put(`/admin/permissions/${encodeURIComponent(name)}`, body);
const remove = (name: string) => admin.delete(`/admin/permissions/${encodeURIComponent(name)}`);
const events = (name: string) => auditOf(app, { resource_id: name });

describe('PUT /admin/permissions/:name', () => {
  it('declares a permission, then replaces its description; both are audited', async () => {
    const first = await put('invoices.read', { description: ' See all invoices ' });
    const created_at = app.clock.now().toISOString();
    expect(first).toMatchObject({ status: 200 });
    expect(first.json).toEqual({ name: 'invoices.read', description: 'See all invoices', created_at });
    app.clock.advance(1);
    expect((await put('invoices.read')).json).toEqual({ name: 'invoices.read', description: null, created_at });
    expect((await put('invoices.read', { description: null })).status).toBe(200);
    expect(await events('invoices.read')).toMatchObject([
      { action: 'permission.updated', actor_id: admin.user_id, metadata: { created: true } },
      { action: 'permission.updated', actor_id: admin.user_id, metadata: { created: false } },
    ]);
  });

  it.each([
    'invoices',
    'Invoices.read',
    'invoices.',
    '.read',
    'invoices..read',
    '1nvoices.read',
    'invoices.1read',
    'invoices read',
    `${'a'.repeat(77)}.read`,
    'org.read',
    'members.fire',
    'audit.read',
    'roles.manage',
    'machines.x',
    'webhooks.x',
    'policy.x',
    'sso.x',
  ])('400 for the name %s', async (name) => {
    const answer = await put(name);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
    expect(answer.json.error.message).toMatch(/^name: /);
  });

  it.each(['a.b', 'organization.read', 'in-voices_2.read-all.x', `${'a'.repeat(75)}.read`])(
    '200 for the name %s',
    async (name) => {
      expect((await put(name)).status).toBe(200);
      expect((await remove(name)).status).toBe(204);
    },
  );

  it.each([{ description: 'x'.repeat(501) }, { description: 7 }, { description: 'two\nlines' }])(
    '400 for the body %j',
    async (body) => {
      expect((await put('invoices.read', body)).status).toBe(400);
    },
  );

  it('404 for a path that is not valid text; deleting a name that no permission can have is 204', async () => {
    expect((await admin.put('/admin/permissions/%00', {})).status).toBe(404);
    expect((await admin.delete('/admin/permissions/%00')).status).toBe(404);
    expect((await remove('Not a name')).status).toBe(204);
  });

  it('403 for viewers, 403 for an administrator who was demoted a moment ago, and nothing is written', async () => {
    const viewer = await insertAdministrator(app, 'viewer');
    expect((await viewer.put('/admin/permissions/late.one', {})).status).toBe(403);
    const late = await insertAdministrator(app);
    expect((await late.get('/admin/permissions')).status).toBe(200);
    await setUser(app, late.user_id, { platform_role: 'viewer' });
    const { result, rows } = await countingRows(app, ['permissions', 'audit_events'], () =>
      late.put('/admin/permissions/late.one', {}),
    );
    expect(result.status).toBe(403);
    expect(rows).toEqual({ permissions: 0, audit_events: 0 });
  });

  it('409 for the 501st permission; an existing one can still be changed', async () => {
    const { count } = await app.deps.db
      .selectFrom('permissions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    await declare(app, ...Array.from({ length: 500 - count }, (_, index) => `cap.p${index}`));
    expect(await put('cap.more')).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
    expect((await put('cap.p0', { description: 'First' })).status).toBe(200);
    expect((await remove('cap.p1')).status).toBe(204);
    expect((await put('cap.more')).status).toBe(200);
    await app.deps.db.deleteFrom('permissions').where('name', 'like', 'cap.%').execute();
  });
});

describe('GET /admin/permissions', () => {
  it('lists permissions sorted by code point, for any platform role', async () => {
    await declare(app, 'sorted-b.x', 'sorted.x', 'sorted_a.x');
    const viewer = await insertAdministrator(app, 'viewer');
    const { status, json } = await viewer.get('/admin/permissions');
    expect(status).toBe(200);
    const names = json.items.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('sorted.x');
    const other = await insertAdministrator(app, null);
    expect((await other.get('/admin/permissions')).status).toBe(403);
  });

  it('GET /orgs/:org_id/permissions is the same list for members, without a platform role', async () => {
    await declare(app, 'listed.twice');
    const { browser, organization_id } = await registerUser(app);
    const { items } = (await admin.get('/admin/permissions')).json;
    expect((await browser.get(`/orgs/${organization_id}/permissions`)).json).toEqual({ items });
  });
});

describe('DELETE /admin/permissions/:name', () => {
  it('removes the permission from all roles and applications; 204 also when repeated, and for a name that was never declared', async () => {
    await declare(app, 'gone.x', 'kept.x');
    const id = await insertRole(app, { permissions: ['gone.x', 'kept.x'] });
    const { application } = await createClient(app, { scopes: ['openid', 'gone.x', 'kept.x'] });
    expect((await app.deps.applications.find(application.client_id))?.scopes).toContain('gone.x');
    app.clock.advance(1);
    expect((await remove('gone.x')).status).toBe(204);
    expect((await app.deps.applications.find(application.client_id))?.scopes).toEqual(['kept.x', 'openid']);
    const { json } = await admin.get('/admin/roles');
    const role = json.items.find((one: { id: string }) => one.id === id);
    expect(role).toMatchObject({ permissions: ['kept.x'], updated_at: app.clock.now().toISOString() });
    expect((await remove('gone.x')).status).toBe(204);
    expect((await remove('never.was')).status).toBe(204);
    expect(await events('gone.x')).toMatchObject([
      { action: 'permission.deleted', metadata: { roles: 1, applications: 1 } },
    ]);
    expect(await events('never.was')).toEqual([]);
  });
});

import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, revocationsOf, setAuthTime } from '../../../test/records.ts';
import { colleague, founder } from '../../../test/team.ts';
import { after } from '../../platform/clock.ts';
import { createRole, declare, giveRoles, insertRole, refreshesOf } from '../roles/roles-fixture.ts';
import { accountsPath, createAccount, createApiKey, exchange, machine, sendAs } from './machines-fixture.ts';

const app = useTestApp();
beforeAll(() => declare(app, 'invoices.read', 'invoices.write'));

describe('service accounts', () => {
  it('are created, listed, changed and deleted by an owner, with an audit row for each change', async () => {
    const owner = await founder(app);
    const role = await createRole(owner, { name: 'Reader', permissions: ['invoices.read'] });
    const created = await createAccount(owner, { name: ' Import ', description: 'Nightly', role_ids: [role.id] });
    const shown = {
      id: expect.any(String),
      organization_id: owner.organization_id,
      name: 'Import',
      description: 'Nightly',
      roles: [{ id: role.id, slug: 'reader', name: 'Reader' }],
      disabled: false,
      created_by: owner.user_id,
      created_at: app.clock.now().toISOString(),
      last_used_at: null,
    };
    expect(created).toEqual(shown);
    expect((await owner.browser.get(accountsPath(owner))).json).toEqual({ items: [created] });
    expect((await owner.browser.get(accountsPath(owner, created.id))).json).toEqual(created);

    const path = accountsPath(owner, created.id);
    const change = async (body: object) => (await owner.browser.patch(path, body)).json;
    expect(await change({ name: 'B', description: null, role_ids: [] })).toEqual({
      ...shown,
      name: 'B',
      description: null,
      roles: [],
    });
    expect(await change({ disabled: true })).toMatchObject({ disabled: true, name: 'B' });
    expect(await change({ disabled: true, name: 'B' })).toMatchObject({ disabled: true });
    expect(await change({ disabled: false })).toMatchObject({ disabled: false });
    for (const status of [204, 204]) expect((await owner.browser.delete(path)).status).toBe(status);
    expect((await owner.browser.get(path)).status).toBe(404);
    expect((await owner.browser.patch(path, { name: 'C' })).status).toBe(404);
    expect((await owner.browser.get(accountsPath(owner))).json).toEqual({ items: [] });

    const rows = await auditOf(app, { resource_id: created.id });
    expect(rows.map(({ action, metadata }) => [action, metadata])).toEqual([
      ['service_account.created', { role_ids: [role.id] }],
      ['service_account.updated', { fields: ['name', 'description', 'roles'], added: [], removed: [role.id] }],
      ['service_account.disabled', {}],
      ['service_account.enabled', {}],
      ['service_account.deleted', { keys_revoked: 0 }],
    ]);
    expect(await refreshesOf(app, `${owner.organization_id}/${created.id}`)).toHaveLength(1);
  });

  it.each([
    ['no name', {}, 400],
    ['a blank name', { name: ' ' }, 400],
    ['a long name', { name: 'x'.repeat(121) }, 400],
    ['a long description', { name: 'A', description: 'x'.repeat(501) }, 400],
    ['an unknown role', { name: 'A', role_ids: [uuid()] }, 400],
    ['a malformed role', { name: 'A', role_ids: ['x'] }, 400],
  ])('creating a service account with %s is rejected', async (_, body, status) => {
    const owner = await founder(app);
    expect((await owner.browser.post(accountsPath(owner), body)).status).toBe(status);
  });

  it('an organization can have 100 service accounts; 409 for the 101st, also with concurrent requests', async () => {
    const owner = await founder(app);
    const { organization_id, user_id: created_by } = owner;
    const created_at = app.clock.now();
    const rows = Array.from({ length: 99 }, () => ({
      id: uuid(),
      organization_id,
      name: 'x',
      description: null,
      created_by,
      created_at,
    }));
    await app.deps.db.insertInto('service_accounts').values(rows).execute();
    const answers = await Promise.all([1, 2, 3].map(() => owner.browser.post(accountsPath(owner), { name: 'A' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('404 for an unknown id, and for an id of another organization', async () => {
    const [owner, other] = [await founder(app), await founder(app)];
    const foreign = await createAccount(other);
    for (const id of [uuid(), foreign.id]) {
      expect((await owner.browser.get(accountsPath(owner, id))).status).toBe(404);
      expect((await owner.browser.patch(accountsPath(owner, id), { name: 'x' })).status).toBe(404);
      expect((await owner.browser.delete(accountsPath(owner, id))).status).toBe(404);
      expect((await owner.browser.get(accountsPath(owner, id, 'keys'))).status).toBe(404);
      expect((await owner.browser.post(accountsPath(owner, id, 'keys'), { name: 'k' })).status).toBe(404);
    }
  });
});

describe('permission to manage service accounts', () => {
  it('an administrator can edit a service account, and create keys for it, only with every permission that the account has', async () => {
    const owner = await founder(app);
    const admin = await colleague(app, owner, 'admin');
    const role = await createRole(owner, { name: 'Reader', permissions: ['invoices.read'] });
    const strong = await machine(owner, { role_ids: [role.id] });
    const path = accountsPath(admin, strong.account.id);
    const attempts = async () => [
      (await admin.browser.post(accountsPath(admin), { name: 'A', role_ids: [role.id] })).status,
      (await admin.browser.patch(path, { name: 'A' })).status,
      (await admin.browser.patch(path, { role_ids: [] })).status,
      (await admin.browser.patch(path, { disabled: false })).status,
      (await admin.browser.post(`${path}/keys`, { name: 'k' })).status,
      (await admin.browser.post(`${path}/keys/${strong.id}/rotate`, {})).status,
    ];
    expect(await attempts()).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await admin.browser.patch(path, { disabled: true })).status).toBe(200);
    expect((await admin.browser.patch(path, { disabled: true, name: 'A' })).status).toBe(403);
    await giveRoles(app, admin, role.id);
    expect(await attempts()).toEqual([201, 200, 200, 200, 201, 201]);
    const weaker = await colleague(app, owner, 'admin');
    const { id } = await createApiKey(owner, strong.account.id);
    expect((await weaker.browser.delete(`${path}/keys/${id}`)).status).toBe(204);
    expect((await weaker.browser.delete(path)).status).toBe(204);
  });

  it('a member needs machines.manage, which a role can give', async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    expect((await member.browser.get(accountsPath(owner))).status).toBe(403);
    const role = await insertRole(app, { organization_id: owner.organization_id, permissions: ['machines.manage'] });
    await giveRoles(app, member, role);
    expect((await member.browser.get(accountsPath(owner))).status).toBe(200);
    expect((await member.browser.post(accountsPath(owner), { name: 'A' })).status).toBe(201);
  });

  it('creating and rotating a key require fresh authentication; ending a key does not', async () => {
    const owner = await founder(app);
    const { account, id } = await machine(owner);
    await setAuthTime(app, owner.session_id, after(app.clock.now(), -901));
    await app.deps.sessions.reload(owner.session_id);
    const path = accountsPath(owner, account.id, 'keys');
    for (const url of [path, `${path}/${id}/rotate`]) {
      const { status, json, headers } = await owner.browser.post(url, {});
      expect([status, json.error.code, headers['x-service-step-up']]).toEqual([401, 'mfa_required', 'sign_in']);
    }
    expect((await owner.browser.delete(`${path}/${id}`)).status).toBe(204);
  });
});

describe('disabling and deleting a service account', () => {
  it('a disabled account: its keys and tokens are rejected; once enabled, keys work with a new sid, and old tokens stay invalid', async () => {
    const owner = await founder(app);
    const { account, key } = await machine(owner);
    const session = (token: string) => sendAs(app, token, 'GET', '/auth/session');
    const before = (await session(key)).json.user.session_family_id;
    const { json: token } = await exchange(app, key);
    expect((await session(token.access_token)).status).toBe(200);
    await owner.browser.patch(accountsPath(owner, account.id), { disabled: true });
    expect([(await session(key)).status, (await session(token.access_token)).status]).toEqual([401, 401]);
    expect((await exchange(app, key)).json.error).toBe('invalid_client');
    expect(await revocationsOf(app, before)).toHaveLength(1);
    await owner.browser.patch(accountsPath(owner, account.id), { disabled: false });
    expect((await session(token.access_token)).status).toBe(401);
    const { status, json } = await session(key);
    expect(status).toBe(200);
    expect(json.user.session_family_id).not.toBe(before);
  });

  it('a deleted account: its keys and tokens are rejected and listed in the feed', async () => {
    const owner = await founder(app);
    const { account, key } = await machine(owner);
    const { json: token } = await exchange(app, key);
    const { session_family_id } = (await sendAs(app, key, 'GET', '/auth/session')).json.user;
    await owner.browser.delete(accountsPath(owner, account.id));
    for (const credential of [key, token.access_token]) {
      expect((await sendAs(app, credential, 'GET', '/auth/session')).status).toBe(401);
    }
    expect(await revocationsOf(app, session_family_id)).toHaveLength(1);
    const rows = await auditOf(app, { action: 'service_account.deleted', resource_id: account.id });
    expect(rows[0]!.metadata).toEqual({ keys_revoked: 1 });
  });

  it('a key stays valid after its creator has left the organization and was deleted', async () => {
    const owner = await founder(app);
    const admin = await colleague(app, owner, 'admin');
    const { key } = await machine(admin);
    expect((await owner.browser.delete(`/orgs/${owner.organization_id}/members/${admin.user_id}`)).status).toBe(204);
    await app.deps.db.updateTable('users').set({ status: 'deleted' }).where('id', '=', admin.user_id).execute();
    expect((await sendAs(app, key, 'GET', '/auth/session')).status).toBe(200);
    expect((await exchange(app, key)).status).toBe(200);
  });
});

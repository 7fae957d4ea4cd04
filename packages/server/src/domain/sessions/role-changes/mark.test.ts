import type { RevocationFeed } from '@gatehouse/contract';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../../test/administrator.ts';
import { claimsOf, createBrowser, registerUser, type TestUser } from '../../../../test/browser.ts';
import { useTestApp } from '../../../../test/harness.ts';
import { countingRows } from '../../../../test/records.ts';
import { colleague, founder, teammate } from '../../../../test/team.ts';
import {
  assign,
  createGlobalRole,
  createRole,
  declare,
  giveRoles,
  insertRole,
  keyOf,
  refreshesOf,
  rolesPath,
} from '../../../features/roles/roles-fixture.ts';

const app = useTestApp();
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
  await declare(app, 'invoices.read', 'notes.approve', 'late.one');
});

const subjectOf = ({ organization_id, user_id }: Pick<TestUser, 'organization_id' | 'user_id'>) =>
  `${organization_id}/${user_id}`;
const count = async (subject: string) => (await refreshesOf(app, subject)).length;

async function insertHolders(role_id: string, members: number, organization_id: string = uuid()): Promise<string> {
  const now = app.clock.now();
  await sql`insert into organizations (id, name, slug, created_at) values (${organization_id}, 'Many', ${organization_id}, ${now})
    on conflict do nothing`.execute(app.deps.db);
  await sql`with people as (
      insert into users (id, email, status, created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid() || '@example.com', 'active', ${now}, ${now}
      from generate_series(1, ${members}::int) returning id
    ), joined as (
      insert into memberships (organization_id, user_id, role, joined_at)
      select ${organization_id}::uuid, id, 'member', ${now} from people returning user_id
    )
    insert into member_roles (organization_id, user_id, role_id)
    select ${organization_id}::uuid, user_id, ${role_id}::uuid from joined`.execute(app.deps.db);
  return organization_id;
}

describe('changes that make the access tokens of a member stale, and changes that do not', () => {
  const setUp = async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    const role = await createRole(owner, { name: 'R', permissions: ['invoices.read'] });
    await assign(owner, member.user_id, [role.id]);
    return { owner, member, role, subject: subjectOf(member) };
  };
  type Setting = Awaited<ReturnType<typeof setUp>>;

  const CHANGES: readonly [string, (setting: Setting) => Promise<{ status: number }>, number][] = [
    ['other roles', ({ owner, member }) => assign(owner, member.user_id, []), 1],
    ['the same roles', ({ owner, member, role }) => assign(owner, member.user_id, [role.id]), 0],
    [
      'another base role',
      ({ owner, member }) =>
        owner.browser.patch(`/orgs/${owner.organization_id}/members/${member.user_id}`, { role: 'admin' }),
      1,
    ],
    [
      'the same base role',
      ({ owner, member }) =>
        owner.browser.patch(`/orgs/${owner.organization_id}/members/${member.user_id}`, { role: 'member' }),
      0,
    ],
    [
      'changed permissions of a role',
      ({ owner, role }) => owner.browser.patch(rolesPath(owner, role.id), { permissions: ['notes.approve'] }),
      1,
    ],
    [
      'a role saved with the permissions it has',
      ({ owner, role }) => owner.browser.patch(rolesPath(owner, role.id), { permissions: role.permissions }),
      0,
    ],
    [
      'a changed name and description of a role',
      ({ owner, role }) => owner.browser.patch(rolesPath(owner, role.id), { name: 'New', description: 'New' }),
      0,
    ],
    ['a deleted role', ({ owner, role }) => owner.browser.delete(rolesPath(owner, role.id)), 1],
    ['a role of someone else', ({ owner }) => assign(owner, owner.user_id, []), 0],
  ];

  it.each(CHANGES)('%s: the number of new feed entries for the member is $2', async (_what, change, entries) => {
    const setting = await setUp();
    const before = await refreshesOf(app, setting.subject);
    expect((await change(setting)).status).toBeLessThan(300);
    const added = await refreshesOf(app, setting.subject);
    if (entries === 0) expect(added).toEqual(before);
    else expect(added).not.toEqual(before);
    for (const other of ['*', setting.owner.organization_id]) expect(await count(other)).toBe(0);
  });

  it('an MFA reset is one entry for the user in all organizations, however many', async () => {
    const { member, owner, subject } = await setUp();
    const now = app.clock.now();
    await sql`with added as (
        insert into organizations (id, name, slug, created_at)
        select gen_random_uuid(), 'Many', gen_random_uuid(), ${now} from generate_series(1, 150) returning id
      )
      insert into memberships (organization_id, user_id, role, joined_at)
      select id, ${member.user_id}::uuid, 'member', ${now} from added`.execute(app.deps.db);
    const reset = () => admin.post(`/admin/users/${member.user_id}/mfa/reset`);
    const before = await count(subject);
    expect((await countingRows(app, ['refreshes'], reset)).rows.refreshes).toBe(1);
    expect(await count(`*/${member.user_id}`)).toBe(1);
    for (const other of ['*', owner.organization_id]) expect(await count(other)).toBe(0);
    expect(await count(subject)).toBe(before);
  });

  it('deleting a permission makes the tokens of every member stale whose role had it', async () => {
    const { owner, member, subject } = await setUp();
    const role = await createRole(owner, { name: 'Late', permissions: ['late.one'] });
    await assign(owner, member.user_id, [role.id]);
    const before = await refreshesOf(app, subject);
    expect((await admin.delete('/admin/permissions/late.one')).status).toBe(204);
    expect(await refreshesOf(app, subject)).not.toEqual(before);
    expect(await count(subjectOf(owner))).toBe(0);
  });

  it('a rejected change adds no entry to the feed', async () => {
    const { owner, member, role } = await setUp();
    const acting = await colleague(app, owner, 'admin');
    const { rows } = await countingRows(app, ['refreshes'], async () => {
      expect((await assign(acting, member.user_id, [])).status).toBe(403);
      expect((await acting.browser.delete(rolesPath(owner, role.id))).status).toBe(403);
    });
    expect(rows).toEqual({ refreshes: 0 });
  });
});

describe('many members', () => {
  it('50 changed members of an organization have one entry each, 51 have one entry of the organization', async () => {
    const owner = await founder(app);
    const { organization_id } = owner;
    const few = await insertRole(app, { organization_id, permissions: ['invoices.read'] });
    const many = await insertRole(app, { organization_id, permissions: ['invoices.read'] });
    await insertHolders(few, 50, organization_id);
    const change = async (id: string) => {
      const { result, rows } = await countingRows(app, ['refreshes'], () =>
        owner.browser.patch(rolesPath(owner, id), { permissions: [] }),
      );
      expect(result.status).toBe(200);
      return rows.refreshes;
    };
    expect(await change(few)).toBe(50);
    expect(await count(organization_id)).toBe(0);
    await giveRoles(app, owner, many);
    await sql`insert into member_roles (organization_id, user_id, role_id)
      select organization_id, user_id, ${many}::uuid from member_roles where role_id = ${few}::uuid`.execute(
      app.deps.db,
    );
    expect(await change(many)).toBe(1);
    expect(await count(organization_id)).toBe(1);
  });

  it('a changed global role in 100 organizations has one entry each, in 101 one entry for all; sessions show the change', async () => {
    const role = await createGlobalRole(admin, { name: 'Everywhere', permissions: ['invoices.read'] });
    const member = await founder(app);
    await giveRoles(app, member, role.id);
    for (let index = 1; index < 100; index++) await insertHolders(role.id, 1);
    const change = (permissions: string[]) =>
      countingRows(app, ['refreshes'], () => admin.patch(`/admin/roles/${role.id}`, { permissions }));
    const permissions = async () => (await member.browser.get('/auth/session')).json.capabilities.permissions;
    expect(await permissions()).toContain('invoices.read');
    expect((await change(['notes.approve'])).rows.refreshes).toBe(100);
    expect(await permissions()).toContain('notes.approve');
    await insertHolders(role.id, 1);
    expect((await change([])).rows.refreshes).toBe(1);
    expect(await count('*')).toBe(1);
    expect(await permissions()).not.toContain('notes.approve');
  });
});

describe('role changes in the feed', () => {
  it('are listed before the request that makes them is answered, and until every older token has expired', async () => {
    const owner = await registerUser(app);
    const member = await teammate(app, app, owner);
    const { id } = await createRole(owner, { name: 'R' });
    const old = claimsOf(member.access_token);
    await assign(owner, member.user_id, [id]);
    const { json }: { json: RevocationFeed } = await createBrowser(app).get('/.well-known/service-revocations.json');
    const entry = json.refreshes.find(({ key }) => key === keyOf(subjectOf(member)))!;
    expect(entry.before).toBeGreaterThan(old.perms_at);
    expect(Date.parse(entry.expires_at)).toBeGreaterThanOrEqual(old.exp * 1000);
    const fresh = claimsOf((await member.browser.post('/auth/refresh')).json.access_token);
    expect(fresh.perms_at).toBeGreaterThanOrEqual(entry.before);
  });

  it('a change replaces the stored entry of an earlier one for the same member', async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    const { id } = await createRole(owner, { name: 'R' });
    const stored = async () => {
      const rows = app.deps.db.selectFrom('refreshes').select(['id', 'before']);
      return rows.where('key', '=', keyOf(subjectOf(member))).execute();
    };
    await assign(owner, member.user_id, [id]);
    const first = await stored();
    await assign(owner, member.user_id, []);
    const second = await stored();
    expect([first, second].map(({ length }) => length)).toEqual([1, 1]);
    expect(Number(second[0]!.before)).toBeGreaterThan(Number(first[0]!.before));
  });

  it('an entry is kept until tokens that were issued with a longer lifetime have expired', async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    const access_expires_at = new Date(app.clock.now().getTime() + 50_000_000);
    const { db } = app.deps;
    await db.updateTable('sessions').set({ access_expires_at }).where('user_id', '=', member.user_id).execute();
    const { id } = await createRole(owner, { name: 'R' });
    await assign(owner, member.user_id, [id]);
    const rows = await db
      .selectFrom('refreshes')
      .select('expires_at')
      .where('key', '=', keyOf(subjectOf(member)))
      .execute();
    expect(rows).toEqual([{ expires_at: access_expires_at }]);
  });
});

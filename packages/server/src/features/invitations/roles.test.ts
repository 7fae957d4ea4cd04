import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimsOf, newEmail, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { countingRows } from '../../../test/records.ts';
import { colleague, founder } from '../../../test/team.ts';
import { createRole, declare, giveRoles, insertRole, rolesPath } from '../roles/roles-fixture.ts';
import { acceptAs, acceptNew, ask, eventsOf, list, resend } from './invitation-fixture.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
  await declare(app, 'invoices.read', 'notes.approve');
});

const offer = (by: TestUser, role_ids: readonly string[], email = newEmail('invited')) =>
  ask(by, { email, role: 'member', role_ids });
const tokenOf = (email: string) => app.mailbox.takeToken(email, 'accept-invitation');

async function accepted(by: TestUser, role_ids: readonly string[], meanwhile = async () => {}) {
  const { status, json } = await offer(by, role_ids);
  expect(status).toBe(201);
  await meanwhile();
  const answer = await acceptNew(app, await tokenOf(json.email));
  expect(answer.status).toBe(200);
  return { invitation: json, ...answer.json };
}

describe('an invitation with roles', () => {
  it('shows the roles, and assigns them to a new user, whose first token has their permissions', async () => {
    const role = await createRole(owner, { name: 'Reader', slug: 'reader', permissions: ['invoices.read'] });
    const { invitation, capabilities, access_token } = await accepted(owner, [role.id, role.id.toUpperCase()]);
    expect(invitation.role_ids).toEqual([role.id]);
    expect(capabilities).toMatchObject({ role: 'member', roles: ['reader'] });
    expect(capabilities.permissions).toContain('invoices.read');
    expect(claimsOf(access_token)).toMatchObject({ role: 'member', perms: ['invoices.read'] });
    expect((await list(owner)).json.items).toContainEqual({ ...invitation, status: 'accepted' });
    expect(await eventsOf(app, invitation)).toMatchObject([
      { action: 'invitation.created', metadata: { role: 'member', role_ids: [role.id] } },
      { action: 'invitation.accepted' },
    ]);
  });

  it('assigns the roles to a user who has an account, also to a former member', async () => {
    const account = await registerUser(app);
    const role = await createRole(owner, { name: 'R' });
    for (const before of ['never a member', 'left']) {
      const { json } = await offer(owner, [role.id], account.email);
      expect((await acceptAs(account, await tokenOf(json.email))).status, before).toBe(200);
      const { json: team } = await owner.browser.get(`/orgs/${owner.organization_id}/members?q=${account.email}`);
      expect(team.items[0].roles, before).toEqual([{ id: role.id, slug: role.slug, name: 'R' }]);
      await owner.browser.delete(`/orgs/${owner.organization_id}/members/${account.user_id}`);
    }
  });

  it('a role that was deleted after the invitation is neither shown nor assigned', async () => {
    const [kept, deleted] = [await createRole(owner, { name: 'Kept' }), await createRole(owner, { name: 'Deleted' })];
    const { capabilities, invitation } = await accepted(owner, [kept.id, deleted.id], async () => {
      await owner.browser.delete(rolesPath(owner, deleted.id));
    });
    expect(capabilities.roles).toEqual([kept.slug]);
    const shown = (await list(owner)).json.items.find(({ id }: { id: string }) => id === invitation.id);
    expect(shown.role_ids).toEqual([kept.id]);
  });

  it('a role that the inviter can no longer assign is dropped when the invitation is accepted', async () => {
    const inviter = await colleague(app, owner, 'admin');
    const { organization_id } = owner;
    const own = await insertRole(app, { organization_id, permissions: ['invoices.read'] });
    const [kept, grown] = [
      await insertRole(app, { organization_id, slug: `kept-${uuid()}`, permissions: ['invoices.read'] }),
      await createRole(owner, { name: 'Grown', permissions: ['invoices.read'] }),
    ];
    await giveRoles(app, inviter, own);
    const { capabilities } = await accepted(inviter, [kept, grown.id], async () => {
      const change = { permissions: ['invoices.read', 'notes.approve'] };
      expect((await owner.browser.patch(rolesPath(owner, grown.id), change)).status).toBe(200);
    });
    expect(capabilities.roles).toEqual([expect.stringMatching(/^kept-/)]);
  });

  it.each([
    ['an unknown role', async () => uuid()],
    ['a role of another organization', async () => (await createRole(await founder(app), { name: 'There' })).id],
  ])('400 for %s', async (_what, find) => {
    const { result, rows } = await countingRows(app, ['invitations', 'mails'], async () =>
      offer(owner, [await find()]),
    );
    expect(result).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
    expect(rows).toEqual({ invitations: 0, mails: 0 });
  });

  it('403 without roles.manage, and for a role with permissions that the inviter lacks', async () => {
    const first = await founder(app);
    const { organization_id } = first;
    const [empty, full] = [
      await insertRole(app, { organization_id }),
      await insertRole(app, { organization_id, permissions: ['notes.approve'] }),
    ];
    const [inviter, admin] = [await colleague(app, first), await colleague(app, first, 'admin')];
    await giveRoles(app, inviter, await insertRole(app, { organization_id, permissions: ['members.invite'] }));
    expect((await offer(inviter, [])).status).toBe(201);
    expect((await offer(inviter, [empty])).status).toBe(403);
    expect((await offer(admin, [empty])).status).toBe(201);
    expect((await offer(admin, [full])).status).toBe(403);
    expect((await offer(first, [full])).status).toBe(201);
  });

  it('resend makes the caller the inviter, who must be able to assign the roles', async () => {
    const first = await founder(app);
    const { organization_id } = first;
    const role = await insertRole(app, { organization_id, permissions: ['notes.approve'] });
    const admin = await colleague(app, first, 'admin');
    const { json } = await offer(first, [role]);
    expect((await resend(admin, json.id)).status).toBe(403);
    expect((await resend(first, json.id)).json.role_ids).toEqual([role]);
  });

  it('becomes invalid when its inviter loses members.invite, which a role gave', async () => {
    const first = await founder(app);
    const inviter = await colleague(app, first);
    const { id } = await createRole(first, { name: 'Host', permissions: ['members.invite'] });
    await giveRoles(app, inviter, id);
    const [open, ended] = [(await offer(inviter, [])).json, (await offer(inviter, [])).json];
    expect((await acceptNew(app, await tokenOf(open.email))).status).toBe(200);
    await first.browser.patch(rolesPath(first, id), { permissions: [] });
    expect((await acceptNew(app, await tokenOf(ended.email))).status).toBe(409);
  });

  it('an active member who accepts keeps their current roles', async () => {
    const account = await registerUser(app);
    const role = await createRole(owner, { name: 'Offered' });
    const { json } = await offer(owner, [role.id], account.email);
    await app.deps.db
      .insertInto('memberships')
      .values({
        organization_id: owner.organization_id,
        user_id: account.user_id,
        role: 'member',
        joined_at: app.clock.now(),
        revoked_at: null,
      })
      .execute();
    expect((await acceptAs(account, await tokenOf(json.email))).status).toBe(200);
    const { json: team } = await owner.browser.get(`/orgs/${owner.organization_id}/members?q=${account.email}`);
    expect(team.items[0].roles).toEqual([]);
  });
});

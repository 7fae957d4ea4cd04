import { describe, expect, it } from 'vitest';
import { bearer, createBrowser, newEmail, PASSWORD, registerUser, type TestUser, tally } from '../browser.ts';
import { auditOf, findUser, knowInvitation } from '../records.ts';
import { useReplicas } from '../replicas.ts';
import { findMembership, listOwners, teammate } from '../team.ts';
import { ROUNDS } from './processes-fixture.ts';

const replicas = useReplicas();
const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

const removeSelf = (url: string, { access_token }: TestUser) =>
  createBrowser(url).delete('/users/me', { ...bearer(access_token), body: { password: PASSWORD } });
const isActive = async ({ user_id }: TestUser) => (await findUser(replicas.database, user_id)).status === 'active';
const isSuspended = async ({ organization_id }: TestUser): Promise<boolean> => {
  const { suspended_at } = await replicas.database.db
    .selectFrom('organizations')
    .select('suspended_at')
    .where('id', '=', organization_id)
    .executeTakeFirstOrThrow();
  return suspended_at !== null;
};

describe('accounts that delete themselves at the same time on two servers', () => {
  it('the last two owners of an organization with a member: one stays', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await registerUser(here());
      const second = await teammate(there(), replicas.database, first, 'owner');
      await teammate(here(), replicas.database, first);
      const answers = await Promise.all([removeSelf(here(), first), removeSelf(there(), second)]);
      expect(tally(answers)).toEqual({ 204: 1, 409: 1 });
      expect(await listOwners(replicas.database, first.organization_id)).toHaveLength(1);
      expect(await isSuspended(first)).toBe(false);
    }
  });

  it('the last two members of an organization: both are deleted, and the organization is suspended once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await registerUser(here());
      const second = await teammate(there(), replicas.database, first, 'owner');
      const answers = await Promise.all([removeSelf(here(), first), removeSelf(there(), second)]);
      expect(tally(answers)).toEqual({ 204: 2 });
      expect(await isSuspended(first)).toBe(true);
      const { organization_id: resource_id } = first;
      expect(await auditOf(replicas.database, { action: 'org.suspended', resource_id })).toHaveLength(1);
    }
  });

  it('one account in two requests: it is deleted once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const answers = await replicas.many(4, (url) => removeSelf(url, user));
      expect(tally(answers)).toEqual({ 204: 1, 401: 3 });
      const { user_id: resource_id } = user;
      expect(await auditOf(replicas.database, { action: 'user.deleted', resource_id })).toHaveLength(1);
    }
  });
});

describe('an account that deletes itself while an invitation is accepted on another server', () => {
  const invite = async (owner: TestUser, email: string): Promise<string> => {
    const path = `/orgs/${owner.organization_id}/invitations`;
    const { json } = await createBrowser(here()).post(path, { email, role: 'member' }, bearer(owner.access_token));
    return knowInvitation(replicas.database, json.id);
  };

  it('by a new member: either the owner stays, or the invitation is refused and the organization suspended', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await registerUser(here());
      const token = await invite(owner, newEmail('invited'));
      const [removed, accepted] = await Promise.all([
        removeSelf(here(), owner),
        createBrowser(there()).post('/auth/invitations/accept', { token, password: PASSWORD }),
      ]);
      const isGone = removed.status === 204;
      expect([removed.status, accepted.status]).toEqual(isGone ? [204, 409] : [409, 200]);
      expect([await isActive(owner), await isSuspended(owner)]).toEqual([!isGone, isGone]);
    }
  });

  it('by the account itself: the account is not a member of the organization afterwards', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await registerUser(here());
      const user = await registerUser(there());
      const token = await invite(owner, user.email);
      const [removed, accepted] = await Promise.all([
        removeSelf(here(), user),
        createBrowser(there()).post('/auth/invitations/accept', { token }, bearer(user.access_token)),
      ]);
      expect(removed.status, removed.text).toBe(204);
      expect([200, 400, 401, 403, 404, 409]).toContain(accepted.status);
      const membership = await findMembership(replicas.database, { ...user, organization_id: owner.organization_id });
      expect(membership?.revoked_at).not.toBe(null);
    }
  });
});

describe('organizations created at the same time on two servers', () => {
  it('count towards one limit of 10 a day', async () => {
    const user = await registerUser(here());
    await replicas.database.db
      .updateTable('users')
      .set({ email_verified_at: new Date() })
      .where('id', '=', user.user_id)
      .execute();
    const answers = await replicas.many(14, (url, index) =>
      createBrowser(url).post('/orgs', { name: `Many ${index}` }, bearer(user.access_token)),
    );
    expect(tally(answers)).toEqual({ 201: 10, 429: 4 });
  });
});

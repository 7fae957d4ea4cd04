import type { Updateable } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  atOnce,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import {
  countingRows,
  countSessions,
  endMemberships,
  findUser,
  lockUserRow,
  setUser,
  suspendOrganization,
  untilBlocked,
} from '../../../test/records.ts';
import { findMembership, founder } from '../../../test/team.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { Users } from '../../platform/db/schema.ts';
import { acceptNew, eventsOf, findRow, invite } from './invitation-fixture.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

const login = (email: string, password = PASSWORD, browser = createBrowser(app)) =>
  browser.post('/auth/login', { email, password });
const membershipOf = (user_id: string) => findMembership(app, { user_id, organization_id: owner.organization_id });

async function createLockedOutUser(): Promise<TestUser> {
  const account = await founder(app);
  await setUser(app, account.user_id, { email_verified_at: app.clock.now() });
  await endMemberships(app, account.user_id);
  return account;
}

describe('POST /auth/invitations/accept without a session, for an account without an active organization', () => {
  it('a removed user who is invited again becomes a member by the token alone, audited, and signs in afterwards', async () => {
    const first = await invite(app, owner, { role: 'admin' });
    const { email } = first;
    const { user_id } = (await acceptNew(app, first.token)).json.user;
    expect((await owner.browser.delete(`/orgs/${owner.organization_id}/members/${user_id}`)).status).toBe(204);
    expect((await login(email)).status).toBe(403);

    const { id, token } = await invite(app, owner, { email });
    const [before, sessions] = [await findUser(app, user_id), await countSessions(app, user_id)];
    const browser = createBrowser(app);
    const answer = await acceptNew(app, token, { password: 'an attacker’s password', display_name: 'X' }, browser);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'accepted', organization_id: owner.organization_id, role: 'member' });
    expect(answer.set_cookies).toEqual([]);
    expect(await findUser(app, user_id)).toEqual(before);
    expect(await countSessions(app, user_id)).toBe(sessions);
    expect(await membershipOf(user_id)).toMatchObject({ role: 'member', revoked_at: null });
    expect((await eventsOf(app, { id })).slice(1)).toMatchObject([
      {
        action: 'invitation.accepted',
        actor_id: user_id,
        organization_id: owner.organization_id,
        metadata: { role: 'member', new_user: false },
      },
    ]);
    const signedIn = await login(email, PASSWORD, browser);
    expect(signedIn.status).toBe(200);
    expect(signedIn.json.user.organization_id).toBe(owner.organization_id);
    expect((await acceptNew(app, token)).status).toBe(409);
  });

  it('a user whose only organization is suspended becomes a member by the token alone, and signs in to the new organization', async () => {
    const account = await registerUser(app);
    await app.mailbox.take(account.email);
    await setUser(app, account.user_id, { email_verified_at: app.clock.now() });
    await suspendOrganization(app, account.organization_id);
    expect((await login(account.email)).status).toBe(403);
    const { token } = await invite(app, owner, { email: account.email });
    expect((await acceptNew(app, token, { password: undefined })).status).toBe(200);
    expect((await login(account.email)).json.user.organization_id).toBe(owner.organization_id);
  });

  type Change = [string, (tx: Tx, account: TestUser) => Promise<unknown>];
  const set =
    (changes: Updateable<Users>) =>
    (tx: Tx, { user_id }: TestUser) =>
      tx.updateTable('users').set(changes).where('id', '=', user_id).execute();
  const changes: Change[] = [
    ['disabled', set({ status: 'disabled' })],
    ['deleted', set({ status: 'deleted' })],
    ['given another email', set({ email: newEmail('moved') })],
    ['unverified', set({ email_verified_at: null })],
    [
      'made a member again',
      async (tx, { user_id, organization_id }) =>
        tx
          .updateTable('memberships')
          .set({ revoked_at: null })
          .where('organization_id', '=', organization_id)
          .where('user_id', '=', user_id)
          .execute(),
    ],
  ];
  it.each(changes)('an account that is concurrently %s: 401, and nothing is written', async (_name, change) => {
    const account = await createLockedOutUser();
    const { id, token } = await invite(app, owner, { email: account.email });
    const letGo = await lockUserRow(app, account.user_id);
    const { result, rows } = await countingRows(app, ['users', 'sessions', 'audit_events'], async () => {
      const asked = acceptNew(app, token);
      await untilBlocked(app, 1);
      await letGo((tx) => change(tx, account));
      return asked;
    });
    expect(result.status).toBe(401);
    expect(rows).toEqual({ users: 0, sessions: 0, audit_events: 0 });
    expect(await membershipOf(account.user_id)).toBeUndefined();
    expect(await findRow(app, id)).toMatchObject({ accepted_at: null, closed_at: null });
  });

  it('of ten concurrent requests with one token, one succeeds', async () => {
    const account = await createLockedOutUser();
    const { id, token } = await invite(app, owner, { email: account.email });
    expect(tally(await atOnce(10, () => acceptNew(app, token)))).toEqual({ 200: 1, 409: 9 });
    expect(await eventsOf(app, { id })).toHaveLength(2);
  });

  it('of two concurrent invitations one succeeds; the other then requires a sign-in', async () => {
    const { email, user_id } = await createLockedOutUser();
    const [one, two] = [await invite(app, owner, { email }), await invite(app, await founder(app), { email })];
    const letGo = await lockUserRow(app, user_id);
    const asked = atOnce(2, (index) => acceptNew(app, index === 0 ? one.token : two.token));
    await untilBlocked(app, 2);
    await letGo();
    expect(tally(await asked)).toEqual({ 200: 1, 401: 1 });
  });
});

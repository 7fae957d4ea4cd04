import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { join, knowInvitation, liveSessions, lockUserRow, recorded, untilBlocked } from '../../../test/records.ts';
import { founder } from '../../../test/team.ts';
import { acceptAs } from '../invitations/invitation-fixture.ts';
import { insertKey, sendAs } from '../machines/machines-fixture.ts';
import { insertRole } from '../roles/roles-fixture.ts';

const app = useTestApp();
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
});

const remove = ({ user_id }: TestUser) => admin.delete(`/admin/users/${user_id}`);
const login = ({ email }: TestUser) => createBrowser(app).post('/auth/login', { email, password: PASSWORD });

describe('DELETE /admin/users/:id, with concurrent requests', () => {
  it.each([
    ['a sign-in', login],
    [
      'a switch of organization',
      (user: TestUser, organization_id: string) => user.browser.post('/auth/organization', { organization_id }),
    ],
  ])(
    '%s that starts during the deletion waits for the end of the deletion and gets 401; there is no deadlock',
    async (_what, begin) => {
      const user = await registerUser(app);
      // Inserted before the lock, because an insert with a reference to the user would wait for the lock.
      const organization_id = await join(app, user.user_id);
      const { result, statements } = await recorded(app, async () => {
        const letGo = await lockUserRow(app, user.user_id);
        const removing = remove(user);
        await untilBlocked(app, 1);
        const beginning = begin(user, organization_id);
        await untilBlocked(app, 2);
        await letGo();
        return [await removing, await beginning];
      });
      expect(result.map(({ status }) => status)).toEqual([204, 401]);
      expect(await liveSessions(app, user.user_id)).toEqual([]);
      // After a deadlock the transaction would have been repeated.
      expect(statements.filter((text) => /^update "memberships"/.test(text))).toHaveLength(1);
      expect(statements.filter((text) => /insert into sessions/.test(text)).length).toBeLessThanOrEqual(1);
    },
  );

  it('a session that a sign-in opened before the deletion is ended', async () => {
    const user = await registerUser(app);
    const letGo = await lockUserRow(app, user.user_id);
    const signingIn = login(user);
    await untilBlocked(app, 1);
    const removing = remove(user);
    await untilBlocked(app, 2);
    await letGo();
    const [{ json }, { status }] = await Promise.all([signingIn, removing]);
    expect([json.status, status]).toEqual(['success', 204]);
    expect(await liveSessions(app, user.user_id)).toEqual([]);
  });
});

it('DELETE /users/me returns 409 to the last owner while an invitation of an API key is being accepted', async () => {
  const owner = await founder(app);
  const { organization_id, user_id: created_by } = owner;
  const role = await insertRole(app, { organization_id, permissions: [] });
  const permissions = ['members.invite', 'roles.manage'];
  const { key } = await insertKey(app, { organization_id, created_by, permissions, scopes: null });
  const account = await registerUser(app);
  const body = { email: account.email, role: 'member', role_ids: [role] };
  const { json } = await sendAs(app, key, 'POST', `/orgs/${organization_id}/invitations`, { body });
  const token = await knowInvitation(app, json.id);
  const blocker = await app.deps.db.startTransaction().execute();
  await blocker.selectFrom('roles').select('id').where('id', '=', role).forUpdate().execute();
  const accepting = acceptAs(account, token);
  await untilBlocked(app, 1);
  const removing = owner.browser.delete('/users/me', { body: {} });
  await untilBlocked(app, 2);
  await blocker.rollback().execute();
  const answers = await Promise.all([accepting, removing]);
  expect(answers.map(({ status }) => status)).toEqual([200, 409]);
});

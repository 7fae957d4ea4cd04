import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { join, liveSessions, lockUserRow, recorded, untilBlocked } from '../../../test/records.ts';

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

import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { atOnce, PASSWORD, registerUser, signInAgain, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { findSession, liveSessions, setUser, untilBlocked } from '../../../test/records.ts';
import { change, changesOf, changeTo, login, NEW, takeNotices } from './password-fixture.ts';

const app = useTestApp();

describe('concurrent password changes', () => {
  it('of concurrent password changes exactly one succeeds, and only the session that sent it stays', async () => {
    const user = await registerUser(app);
    const browsers = [user.browser, ...(await atOnce(5, () => signInAgain(app, user)))];
    const answers = await atOnce(6, (index) => changeTo(browsers[index]!, `${NEW} ${index}`));
    expect(tally(answers)).toEqual({ 204: 1, 401: 5 });
    const winner = answers.findIndex(({ status }) => status === 204);
    for (const index of browsers.keys()) {
      const expected = index === winner ? 200 : 401;
      expect((await login(app, user.email, `${NEW} ${index}`)).status).toBe(expected);
      expect((await browsers[index]!.get('/auth/session')).status).toBe(expected);
    }
    expect((await changesOf(app, user)).filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
    expect(await takeNotices(app, user)).toHaveLength(1);
  });

  it('a sign-in with the old password leaves no session after the change', async () => {
    for (let round = 0; round < 3; round++) {
      const user = await registerUser(app);
      const [changed] = await Promise.all([
        changeTo(user.browser, NEW),
        atOnce(5, () => login(app, user.email, PASSWORD)),
      ]);
      expect(changed.status).toBe(204);
      expect(await liveSessions(app, user.user_id)).toEqual([user.session_id]);
    }
  });

  it('of thirty concurrent wrong passwords five get 401 and the others 429', async () => {
    const user = await registerUser(app);
    const answers = await atOnce(30, () => changeTo(user.browser, NEW, 'not the password at all'));
    expect(tally(answers)).toEqual({ 401: 5, 429: 25 });
    expect((await changeTo(user.browser, NEW)).status).toBe(429);
  });

  it('of ten concurrent first passwords one is stored', async () => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { password_hash: null, last_password_change_at: null });
    const answers = await atOnce(10, (index) => change(user.browser, { new_password: `${NEW} ${index}` }));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    // Later requests fail because another one has set the password, or because the current password is now required.
    expect(statuses.every((status) => [204, 400, 401].includes(status))).toBe(true);
    expect((await login(app, user.email, `${NEW} ${statuses.indexOf(204)}`)).status).toBe(200);
  });
});

describe('a sign-in that is being written', () => {
  it('a password change waits for a sign-in that is being written, and ends the session of that sign-in with the others', async () => {
    const user = await registerUser(app);
    const { db } = app.deps;
    const session = await findSession(app, user.session_id);
    // Like sign-in completion: locks the user's row and inserts the session, after the old password was verified.
    const signIn = await db.startTransaction().execute();
    const last_login_at = app.clock.now();
    await signIn.updateTable('users').set({ last_login_at }).where('id', '=', user.user_id).execute();
    await signIn
      .insertInto('sessions')
      .values({ ...session, id: uuid(), refresh_jti: null })
      .execute();
    const changing = changeTo(user.browser, NEW);
    await untilBlocked(app, 1);
    await signIn.commit().execute();
    expect((await changing).status).toBe(204);
    expect(await liveSessions(app, user.user_id)).toEqual([user.session_id]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerUser, type TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { findUser, setSession, setUser } from '../../../test/records.ts';
import { after } from '../../platform/clock.ts';
import { change, changesOf, changeTo, login, NEW, takeNotices } from './password-fixture.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('a first password (the contract: adding a way in)', () => {
  const without = async (changes: { mfa_enabled_at?: Date } = {}) => {
    const user = await registerUser(app);
    await setUser(app, user.user_id, { password_hash: null, last_password_change_at: null, ...changes });
    return user;
  };
  const become = async (user: TestUser, session: { aal?: 'aal2'; mfa_verified_at?: Date }) => {
    await setSession(app, user.session_id, session);
    await app.deps.bus.deliver([{ topic: 'user', key: user.user_id }]);
  };
  const expectRefused = async (user: TestUser) => {
    const answer = await change(user.browser, { new_password: NEW });
    expect(answer.status).toBe(401);
    expect(answer.json.error).toMatchObject({ code: 'mfa_required', type: 'mfa_required' });
    expect((await findUser(app, user.user_id)).password_hash).toBeNull();
  };

  it('soon after the sign-in: 204, with all that a change brings', async () => {
    const user = await without();
    expect((await user.browser.get('/users/me')).json.has_password).toBe(false);
    app.clock.advance(15 * 60 - 1);
    expect((await change(user.browser, { new_password: NEW })).status).toBe(204);
    expect((await user.browser.get('/users/me')).json.has_password).toBe(true);
    expect((await login(app, user.email, NEW)).status).toBe(200);
    expect((await changesOf(app, user)).map(({ outcome }) => outcome)).toEqual(['success']);
    expect(await takeNotices(app, user)).toHaveLength(1);
  });

  it('what is sent as current password is not looked at, not even when it is the new one', async () => {
    const user = await without();
    expect((await changeTo(user.browser, NEW, NEW)).status).toBe(204);
  });

  it('more than 15 minutes after the sign-in: 401 mfa_required, a refresh changes nothing', async () => {
    const user = await without();
    app.clock.advance(15 * 60 + 1);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
    await expectRefused(user);
  });

  it('a second factor verified in the last 15 minutes is as good as a sign-in', async () => {
    const user = await without({ mfa_enabled_at: app.clock.now() });
    app.clock.advance(3600);
    await user.browser.post('/auth/refresh');
    await become(user, { aal: 'aal2', mfa_verified_at: after(app.clock.now(), -15 * 60 - 1) });
    await expectRefused(user);
    await become(user, { mfa_verified_at: after(app.clock.now(), -15 * 60) });
    expect((await change(user.browser, { new_password: NEW })).status).toBe(204);
  });

  it('with a second factor on, a session that has not shown it is refused, however fresh', async () => {
    const user = await without({ mfa_enabled_at: app.clock.now() });
    await expectRefused(user);
    // Shown once, and reset by an admin since.
    await become(user, { aal: 'aal2' });
    await expectRefused(user);
    await become(user, { mfa_verified_at: app.clock.now() });
    expect((await change(user.browser, { new_password: NEW })).status).toBe(204);
  });
});

import { describe, expect, it } from 'vitest';
import { registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { findUser, setSession, setUser } from '../../../test/records.ts';
import { after } from '../../platform/clock.ts';
import { change, changesOf, changeTo, login, NEW, takeNotices } from './password-fixture.ts';

const app = useTestApp();

describe('a first password (fresh authentication for a new credential)', () => {
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

  it('a first password is 204 soon after the sign-in, with all effects of a change', async () => {
    const user = await without();
    expect((await user.browser.get('/users/me')).json.has_password).toBe(false);
    app.clock.advance(15 * 60 - 1);
    expect((await change(user.browser, { new_password: NEW })).status).toBe(204);
    expect((await user.browser.get('/users/me')).json.has_password).toBe(true);
    expect((await login(app, user.email, NEW)).status).toBe(200);
    expect((await changesOf(app, user)).map(({ outcome }) => outcome)).toEqual(['success']);
    expect(await takeNotices(app, user)).toHaveLength(1);
  });

  it('current_password is ignored if the account has no password, even if it equals the new one', async () => {
    const user = await without();
    expect((await changeTo(user.browser, NEW, NEW)).status).toBe(204);
  });

  it('401 mfa_required more than 15 minutes after the sign-in; a refresh does not help', async () => {
    const user = await without();
    app.clock.advance(15 * 60 + 1);
    expect((await user.browser.post('/auth/refresh')).status).toBe(200);
    await expectRefused(user);
  });

  it('a second factor in the last 15 minutes suffices for a first password, like a sign-in', async () => {
    const user = await without({ mfa_enabled_at: app.clock.now() });
    app.clock.advance(3600);
    await user.browser.post('/auth/refresh');
    await become(user, { aal: 'aal2', mfa_verified_at: after(app.clock.now(), -15 * 60 - 1) });
    await expectRefused(user);
    await become(user, { mfa_verified_at: after(app.clock.now(), -15 * 60) });
    expect((await change(user.browser, { new_password: NEW })).status).toBe(204);
  });

  it('with MFA a session without a second factor cannot set a first password, however recent its sign-in', async () => {
    const user = await without({ mfa_enabled_at: app.clock.now() });
    await expectRefused(user);
    // The session is at aal2 by a second factor that an admin has reset since.
    await become(user, { aal: 'aal2' });
    await expectRefused(user);
    await become(user, { mfa_verified_at: app.clock.now() });
    expect((await change(user.browser, { new_password: NEW })).status).toBe(204);
  });
});

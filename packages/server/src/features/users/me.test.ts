import { describe, expect, it } from 'vitest';
import { bearer, createBrowser, newEmail, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { join, setUser } from '../../../test/records.ts';
import { after } from '../../platform/clock.ts';

const app = useTestApp();

describe('GET /users/me', () => {
  it('returns every field of the user record', async () => {
    const email = newEmail();
    const user = await registerUser(app, {
      email: `  ${email.toUpperCase()} `,
      display_name: 'Ada',
      organization_slug: 'ada-me',
    });
    const answer = await user.browser.get('/users/me');
    expect(answer.status).toBe(200);
    const now = app.clock.now().toISOString();
    expect(now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.json).toEqual({
      id: user.user_id,
      email,
      email_verified: false,
      display_name: 'Ada',
      locale: null,
      avatar_url: null,
      status: 'active',
      has_password: true,
      mfa_enabled: false,
      platform_role: null,
      created_at: now,
      updated_at: now,
      last_password_change_at: now,
      last_login_at: now,
      memberships: [
        {
          organization_id: user.organization_id,
          organization_name: 'Example',
          organization_slug: 'ada-me',
          role: 'owner',
          joined_at: now,
        },
      ],
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('shows changes: verified email, MFA, role, picture, removed password', async () => {
    const user = await registerUser(app);
    const now = app.clock.now();
    await setUser(app, user.user_id, {
      email_verified_at: now,
      mfa_enabled_at: now,
      platform_role: 'viewer',
      avatar_id: 'ab12',
      locale: 'de-CH',
      password_hash: null,
      last_password_change_at: null,
      last_login_at: null,
    });
    const { json, text } = await user.browser.get('/users/me');
    expect(json).toMatchObject({
      email_verified: true,
      mfa_enabled: true,
      platform_role: 'viewer',
      avatar_url: 'http://localhost:8080/v1/avatars/ab12.webp',
      locale: 'de-CH',
      has_password: false,
      last_password_change_at: null,
      last_login_at: null,
    });
    expect(text).not.toMatch(/password_hash|argon2|avatar_id|mfa_enabled_at/);
  });

  it('lists active memberships, also in suspended organizations, in the order of joining', async () => {
    const user = await registerUser(app);
    const now = app.clock.now();
    await join(app, user.user_id, { name: 'Left', joined_at: after(now, -500), revoked_at: now });
    await join(app, user.user_id, { name: 'Later', joined_at: after(now, 60.5) });
    await join(app, user.user_id, { name: 'Earlier', joined_at: after(now, -60) });
    await join(app, user.user_id, { name: 'Suspended', joined_at: after(now, -30), suspended_at: now });
    await registerUser(app, { organization_name: 'Somebody else' });
    const { memberships } = (await user.browser.get('/users/me')).json;
    expect(memberships.map((one: { organization_name: string }) => one.organization_name)).toEqual([
      'Earlier',
      'Suspended',
      'Example',
      'Later',
    ]);
    expect(memberships[3]).toMatchObject({ role: 'member', joined_at: after(now, 60.5).toISOString() });
  });

  it('401 without a credential, with an invalid one, and after the session has ended', async () => {
    const user = await registerUser(app);
    expect((await user.browser.get('/users/me', bearer(user.access_token))).status).toBe(200);
    const outsider = await createBrowser(app).get('/users/me');
    expect(outsider.status).toBe(401);
    expect(outsider.json.error).toMatchObject({ code: 'authentication_required', type: 'authentication_error' });
    expect((await createBrowser(app).get('/users/me', bearer('garbage'))).status).toBe(401);
    await user.browser.post('/auth/logout');
    expect((await createBrowser(app).get('/users/me', bearer(user.access_token))).status).toBe(401);
  });

  it('401 for an account that was just disabled, although its session is cached', async () => {
    const user = await registerUser(app);
    expect((await user.browser.get('/users/me')).status).toBe(200);
    await setUser(app, user.user_id, { status: 'disabled' });
    expect((await user.browser.get('/users/me')).status).toBe(401);
  });
});

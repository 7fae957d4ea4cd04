import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, createBrowser, newEmail, registerPerson } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { after } from '../../platform/clock.ts';
import { password } from '../password/routes.ts';
import { registration } from '../register/routes.ts';
import { sessions } from '../sessions/routes.ts';
import { users } from './routes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ features: [registration, password, sessions, users] });
});
afterAll(() => app.close());

const join = async (
  user_id: string,
  name: string,
  membership: { joined_at: Date; revoked_at?: Date },
  suspended = false,
) => {
  const id = uuid();
  const now = app.clock.now();
  const organization = { id, name, slug: `org-${id}`, created_at: now, suspended_at: suspended ? now : null };
  await app.deps.db.insertInto('organizations').values(organization).execute();
  await app.deps.db
    .insertInto('memberships')
    .values({ organization_id: id, user_id, role: 'member', revoked_at: null, ...membership })
    .execute();
  return id;
};

describe('GET /users/me', () => {
  it('is the user record, every field of it', async () => {
    const email = newEmail();
    const person = await registerPerson(app, {
      email: `  ${email.toUpperCase()} `,
      display_name: 'Ada',
      organization_slug: 'ada-me',
    });
    const answer = await person.browser.get('/users/me');
    expect(answer.status).toBe(200);
    const now = app.clock.now().toISOString();
    expect(now).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.json).toEqual({
      id: person.user_id,
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
          organization_id: person.organization_id,
          organization_name: 'Example',
          organization_slug: 'ada-me',
          role: 'owner',
          joined_at: now,
        },
      ],
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('says what the account has become: verified, second factor, role, picture, no password', async () => {
    const person = await registerPerson(app);
    const now = app.clock.now();
    await app.deps.db
      .updateTable('users')
      .set({ email_verified_at: now, mfa_enabled_at: now, platform_role: 'viewer', avatar_id: 'ab12', locale: 'de-CH' })
      .set({ password_hash: null, last_password_change_at: null, last_login_at: null })
      .where('id', '=', person.user_id)
      .execute();
    const { json, text } = await person.browser.get('/users/me');
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

  it('memberships: living ones, suspended organizations too, in the order of joining', async () => {
    const person = await registerPerson(app);
    const now = app.clock.now();
    await join(person.user_id, 'Left', { joined_at: after(now, -500), revoked_at: now });
    await join(person.user_id, 'Later', { joined_at: after(now, 60.5) });
    await join(person.user_id, 'Earlier', { joined_at: after(now, -60) });
    await join(person.user_id, 'Suspended', { joined_at: after(now, -30) }, true);
    await registerPerson(app, { organization_name: 'Somebody else' });
    const { memberships } = (await person.browser.get('/users/me')).json;
    expect(memberships.map((one: { organization_name: string }) => one.organization_name)).toEqual([
      'Earlier',
      'Suspended',
      'Example',
      'Later',
    ]);
    expect(memberships[3]).toMatchObject({ role: 'member', joined_at: after(now, 60.5).toISOString() });
  });

  it('without a credential, with a bad one, and after the session has ended: 401', async () => {
    const person = await registerPerson(app);
    expect((await person.browser.get('/users/me', bearer(person.access_token))).status).toBe(200);
    const stranger = await createBrowser(app).get('/users/me');
    expect(stranger.status).toBe(401);
    expect(stranger.json.error).toMatchObject({ code: 'authentication_required', type: 'authentication_error' });
    expect((await createBrowser(app).get('/users/me', bearer('garbage'))).status).toBe(401);
    await person.browser.post('/auth/logout');
    expect((await createBrowser(app).get('/users/me', bearer(person.access_token))).status).toBe(401);
  });

  it('an account disabled a moment ago: 401, though its session was known', async () => {
    const person = await registerPerson(app);
    expect((await person.browser.get('/users/me')).status).toBe(200);
    await app.deps.db.updateTable('users').set({ status: 'disabled' }).where('id', '=', person.user_id).execute();
    expect((await person.browser.get('/users/me')).status).toBe(401);
  });
});

import { describe, expect, it } from 'vitest';
import {
  atOnce,
  bearer,
  claimsOf,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  tally,
} from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, findUser } from '../../../test/records.ts';

const app = useTestApp();

const register = (body: unknown) => createBrowser(app).post('/auth/register', body);
const valid = (changes: Record<string, unknown> = {}) => ({
  email: newEmail(),
  password: PASSWORD,
  organization_name: 'Example',
  ...changes,
});

describe('POST /auth/register', () => {
  it('201: organization, owner, membership, session, audit row and mail, with the LoginResponse and three cookies', async () => {
    const email = newEmail();
    const answer = await register(
      valid({ email: `  ${email.toUpperCase()} `, display_name: ' Ada ', organization_slug: 'ada-and-co' }),
    );
    expect(answer.status).toBe(201);
    const { user, capabilities } = answer.json;
    expect(answer.json).toMatchObject({ status: 'success', expires_in: 900 });
    expect(user).toEqual({
      user_id: user.user_id,
      organization_id: user.organization_id,
      session_family_id: user.session_family_id,
      email,
      email_verified: false,
      display_name: 'Ada',
      auth_method: 'password',
      aal: 'aal1',
      mfa_verified_at: null,
      scopes: [],
      allowed_ips: [],
      allowed_referrers: [],
      extensions: {},
    });
    expect(capabilities).toMatchObject({ role: 'owner', platform_role: null });
    expect(capabilities.permissions).toContain('org.update');
    expect(answer.set_cookies.map((line) => line.split('=')[0])).toEqual(['service_at', 'service_rt', 'service_csrf']);
    const { db } = app.deps;
    const tenant = await db.selectFrom('organizations').selectAll().where('slug', '=', 'ada-and-co').executeTakeFirst();
    expect(tenant).toMatchObject({ id: user.organization_id, name: 'Example', suspended_at: null });
    const member = await db
      .selectFrom('memberships')
      .selectAll()
      .where('user_id', '=', user.user_id)
      .executeTakeFirst();
    expect(member).toMatchObject({ organization_id: user.organization_id, role: 'owner', revoked_at: null });
    expect(await auditOf(app, { actor_id: user.user_id })).toMatchObject([
      { action: 'auth.register', organization_id: user.organization_id, outcome: 'success' },
      {
        action: 'org.created',
        actor_type: 'user',
        organization_id: user.organization_id,
        resource_type: 'organization',
        resource_id: user.organization_id,
        metadata: { owner_user_id: user.user_id },
      },
    ]);
    const token = await db.selectFrom('one_time_tokens').selectAll().where('user_id', '=', user.user_id).execute();
    expect(token).toMatchObject([{ kind: 'email_verification', email }]);
    expect((await findUser(app, user.user_id)).password_hash).toMatch(/^\$argon2id\$/);
  });

  it('registration issues an access token with the claims of §2.2, email_verified, and role and permissions', async () => {
    const account = await registerUser(app);
    const now = Math.floor(app.clock.now().getTime() / 1000);
    expect(claimsOf(account.access_token)).toEqual({
      sub: account.user_id,
      org: account.organization_id,
      iss: 'http://localhost:8080',
      exp: now + 900,
      iat: now,
      typ: 'access',
      email: account.email,
      email_verified: false,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sid: account.session_id,
      aal: 'aal1',
      auth_time: now,
      auth_method: 'password',
      role: 'owner',
      perms: [],
      perms_at: expect.any(Number),
    });
  });

  it('409 for a taken email in any notation, and for a taken slug; nothing is written', async () => {
    const { email } = await registerUser(app, { organization_slug: 'taken-slug' });
    const count = () => app.deps.db.selectFrom('organizations').select('id').execute();
    const before = (await count()).length;
    const twice = await register(valid({ email: email.toUpperCase() }));
    expect(twice.status).toBe(409);
    expect(twice.json.error).toEqual({ code: 'conflict', message: 'email already registered', type: 'conflict' });
    const slug = await register(valid({ organization_slug: 'taken-slug' }));
    expect(slug.status).toBe(409);
    expect(slug.json.error.message).toBe('organization slug already taken');
    expect(await count()).toHaveLength(before);
    expect(twice.set_cookies).toEqual([]);
  });

  it('an omitted slug is derived from the name and made unique', async () => {
    const slugs = [];
    for (const organization_name of [
      'Müller & Söhne',
      'Müller & Söhne',
      '日本',
      'x',
      '-- --',
      'A'.repeat(120),
      'Kestrel GmbH',
    ]) {
      const { organization_id } = await registerUser(app, { organization_name });
      const row = await app.deps.db
        .selectFrom('organizations')
        .select('slug')
        .where('id', '=', organization_id)
        .executeTakeFirstOrThrow();
      slugs.push(row.slug);
    }
    expect(slugs[0]).toBe('mueller-and-soehne');
    expect(slugs.at(-1)).toBe('kestrel-gmbh');
    expect(slugs[1]).toMatch(/^mueller-and-soehne-[0-9a-f]{6}$/);
    expect(slugs[3]).toMatch(/^org-[0-9a-f]{8}$/);
    expect(slugs[4]).toMatch(/^org-[0-9a-f]{8}$/);
    for (const slug of slugs) expect(slug).toMatch(/^(?=.{2,63}$)[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it.each([
    [{ email: undefined }, 'email: is required'],
    [{ email: 'nobody' }, 'email: must be an email address'],
    [{ email: 'a@b' }, 'email: must be an email address'],
    [{ email: 'a\0@example.com' }, 'email: must be an email address'],
    [{ email: 'a@example.com\n' }, 'email: must be an email address'],
    [{ email: '\ud800@example.com' }, 'email: must be an email address'],
    [{ email: `${'a'.repeat(250)}@example.com` }, 'email: must be an email address'],
    [{ email: 7 }, 'email: must be a string'],
    [{ password: 'too short' }, 'password: must be 12 to 256 characters'],
    [{ password: '😀'.repeat(11) }, 'password: must be 12 to 256 characters'],
    [{ password: 'x'.repeat(257) }, 'password: must be 12 to 256 characters'],
    [{ password: `\ud800${'x'.repeat(12)}` }, 'password: must not contain invalid Unicode'],
    [{ organization_name: '' }, 'organization_name: must be 1 to 120 characters'],
    [{ organization_name: '   ' }, 'organization_name: must not be blank'],
    [{ organization_name: 'x'.repeat(121) }, 'organization_name: must be 1 to 120 characters'],
    [{ organization_name: 'a\u0000b' }, 'organization_name: must not be blank or contain control characters'],
    [{ organization_slug: 'Not A Slug' }, 'organization_slug: must be lower-case'],
    [{ organization_slug: 'x' }, 'organization_slug: must be 2 to 63 characters'],
    [{ organization_slug: '-ab' }, 'organization_slug: must be lower-case'],
    [{ display_name: 'a\u0007' }, 'display_name: must not contain control characters'],
    [{ email: 'x', password: 'y' }, 'email: must be an email address; password: must be 12 to 256 characters'],
  ])('400 for the body %j', async (changes, message) => {
    const answer = await register(valid(changes));
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toBe('invalid_input');
    expect(answer.json.error.message).toContain(message);
  });

  it('unknown fields and keys such as __proto__ are ignored', async () => {
    const body = JSON.stringify(valid({ platform_role: 'owner', status: 'disabled' })).replace(
      '{',
      '{"__proto__":{"platform_role":"owner"},"constructor":{"prototype":{"x":1}},',
    );
    const answer = await register(body);
    expect(answer.status).toBe(201);
    expect(answer.json.capabilities.platform_role).toBeNull();
    expect(({} as Record<string, unknown>).platform_role).toBeUndefined();
  });

  it('passwords are accepted unchanged: 12 emoji, 256 characters, spaces, NUL', async () => {
    for (const password of ['😀'.repeat(12), 'é'.repeat(256), ' '.repeat(12), 'with\0NUL inside']) {
      const { email } = await registerUser(app, { password });
      const login = (given: string) => createBrowser(app).post('/auth/login', { email, password: given });
      expect((await login(password)).status).toBe(200);
      expect((await login([...password].fill('?', -1).join(''))).status).toBe(401);
    }
  });

  it('ten concurrent requests with one email, and ten with one slug, create exactly one organization each', async () => {
    const email = newEmail();
    expect(tally(await atOnce(10, () => register(valid({ email }))))).toEqual({ 201: 1, 409: 9 });
    const organization_slug = 'only-one';
    expect(tally(await atOnce(10, () => register(valid({ organization_slug }))))).toEqual({ 201: 1, 409: 9 });
    const users = await app.deps.db.selectFrom('users').select('id').where('email', '=', email).execute();
    expect(users).toHaveLength(1);
  });

  it('the returned session works, by cookie and by Bearer', async () => {
    const account = await registerUser(app);
    const byCookie = await account.browser.get('/auth/session');
    expect(byCookie.json.user.user_id).toBe(account.user_id);
    expect((await createBrowser(app).get('/auth/session', bearer(account.access_token))).json).toEqual(byCookie.json);
  });
});

describe('settings for registration', () => {
  it('LIMIT_MAIL_PER_ADDRESS: beyond it the account is made, and no verification mail is sent', async () => {
    const limited = await startTestApp({ environment: { LIMIT_MAIL_PER_ADDRESS: '2/1h' } });
    try {
      for (const expected of [1, 2, 2]) {
        await registerUser(limited);
        const mails = await limited.deps.db
          .selectFrom('mails')
          .select('id')
          .where('template', '=', 'verify_email')
          .execute();
        expect(mails).toHaveLength(expected);
      }
      expect(await limited.deps.db.selectFrom('users').select('id').execute()).toHaveLength(3);
    } finally {
      await limited.close();
    }
  });

  it('REGISTRATION=closed: 403 before the body is validated; over the limit: 429 with Retry-After', async () => {
    const closed = await startTestApp({
      environment: { REGISTRATION: 'closed', LIMIT_REGISTRATION_PER_ADDRESS: '2/1h' },
    });
    try {
      const answer = await createBrowser(closed).post('/auth/register', { nothing: true });
      expect(answer.status).toBe(403);
      expect(answer.json.error.code).toBe('forbidden');
      await createBrowser(closed).post('/auth/register', {});
      const third = await createBrowser(closed).post('/auth/register', {});
      expect(third.status).toBe(429);
      expect(third.headers['retry-after']).toBe('3600');
    } finally {
      await closed.close();
    }
  });
});

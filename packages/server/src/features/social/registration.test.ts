import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail } from '../../../test/browser.ts';
import { auditOf, countingRows, findUser } from '../../../test/records.ts';
import {
  arriveBy,
  comeBack,
  identitiesOf,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const google = () => third.fakes.oauth_a;
const signIn = () => signInWith(third.app, google());
const TABLES = [
  'users',
  'organizations',
  'memberships',
  'sessions',
  'identities',
  'mails',
  'one_time_tokens',
  'audit_events',
] as const;
const findOrganization = (id: string) =>
  third.app.deps.db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('third-party sign-in without an account creates a user and an organization', () => {
  it('a first sign-in returns a LoginResponse, three cookies and a session of the owner', async () => {
    const { app } = third;
    const { email } = newUser(google(), { name: 'Ada Lovelace' });
    const { json, browser } = await signIn();
    expect(json).toEqual({
      status: 'success',
      user: {
        user_id: expect.any(String),
        organization_id: expect.any(String),
        email,
        email_verified: false,
        display_name: 'Ada Lovelace',
        auth_method: 'social_oauth',
        aal: 'aal1',
        session_family_id: expect.any(String),
        mfa_verified_at: null,
        scopes: [],
        allowed_ips: [],
        allowed_referrers: [],
        extensions: {},
      },
      capabilities: { role: 'owner', roles: [], permissions: expect.any(Array), platform_role: null },
      access_token: expect.any(String),
      expires_in: 900,
    });
    expect([...browser.jar.keys()].sort()).toEqual(['service_at', 'service_csrf', 'service_oauth', 'service_rt']);
    const { organization_id, user_id } = json.user;
    expect((await browser.get('/users/me')).json).toMatchObject({
      id: user_id,
      has_password: false,
      email_verified: false,
      display_name: 'Ada Lovelace',
      last_password_change_at: null,
      memberships: [{ organization_id, organization_name: 'Ada Lovelace', role: 'owner' }],
    });
    const now = app.clock.now();
    expect(await identitiesOf(app, user_id)).toMatchObject([
      { provider: 'oauth_a', issuer: google().url, email, linked_at: now, last_used_at: now, revoked_at: null },
    ]);
  });

  it('a first sign-in writes one row per table, three audit rows and a verification mail, but no notice of a link', async () => {
    const { app } = third;
    const { email } = newUser(google());
    const { result, rows } = await countingRows(app, TABLES, signIn);
    expect(rows).toEqual({
      users: 1,
      organizations: 1,
      memberships: 1,
      sessions: 1,
      identities: 1,
      mails: 1,
      one_time_tokens: 1,
      audit_events: 3,
    });
    const { user_id, organization_id } = result.json.user;
    const [identity] = await identitiesOf(app, user_id);
    expect(await auditOf(app, { actor_id: user_id })).toMatchObject([
      { action: 'auth.register', organization_id, resource_type: 'organization', resource_id: organization_id },
      { action: 'org.created', organization_id, resource_id: organization_id, metadata: { owner_user_id: user_id } },
      {
        action: 'auth.oauth.login',
        organization_id,
        resource_type: 'user',
        resource_id: user_id,
        outcome: 'success',
        metadata: { provider: 'oauth_a', identity_id: identity!.id },
      },
    ]);
    const token = await app.mailbox.takeToken(email!, 'verify-email');
    expect((await createBrowser(app).post('/auth/email/verify', { token })).status).toBe(204);
    expect((await findUser(app, user_id)).email_verified_at).toEqual(app.clock.now());
  });

  it.each(['oauth_a', 'oauth_b', 'oauth_c', 'oauth_d'] as const)(
    'an email that %s reports as verified stays unverified at this service',
    async (provider) => {
      const { user_id } = await arriveBy(third.app, third.fakes[provider]);
      expect((await findUser(third.app, user_id)).email_verified_at).toBeNull();
      await signInWith(third.app, third.fakes[provider]);
      expect((await findUser(third.app, user_id)).email_verified_at).toBeNull();
    },
  );

  it('the email is stored normalized', async () => {
    const { email } = newUser(google(), { email: newEmail('Mixed.CASE').toUpperCase() });
    expect((await signIn()).json.user.email).toBe(email!.toLowerCase());
    newUser(google(), { email });
    expect(wordOf(await signIn())).toBe('account_exists');
  });

  it.each(['identities', 'mails', 'audit_events', 'sessions', 'memberships'] as const)(
    'nothing is written if %s cannot be written',
    async (table) => {
      const { db } = third.app.deps;
      newUser(google());
      await sql`alter table ${sql.table(table)} add constraint refused check (false) not valid`.execute(db);
      const { result, rows } = await countingRows(third.app, TABLES, signIn);
      await sql`alter table ${sql.table(table)} drop constraint refused`.execute(db);
      expect(result.status).toBe(500);
      expect(Object.values(rows)).toEqual(TABLES.map(() => 0));
      expect(result.set_cookies).toEqual([]);
      expect((await signIn()).status).toBe(200);
    },
  );
});

describe('names of new accounts', () => {
  const LONG = 10_000;
  it.each([
    ['a usual name', ' Ada Lovelace ', 'Ada Lovelace'],
    ['control characters', 'Ada\u0000\u0007\r\n\u0085 Love\u2028lace', 'Ada Lovelace'],
    ['bidi control characters', '\u202eAda \u2066Love\u202alace\u2069', 'Ada Lovelace'],
    ['10,000 characters', 'é'.repeat(LONG), 'é'.repeat(120)],
    ['10,000 emoji, none of them split', '🦉'.repeat(LONG), '🦉'.repeat(120)],
    ['a space at the cut', `${'x'.repeat(119)} ${'y'.repeat(LONG)}`, 'x'.repeat(119)],
    ['blank', ' \t\u0000\u202e ', null],
    ['none', null, null],
    ['invalid Unicode', 'Ada\ud800', null],
    ['not a string', { first: 'Ada' }, null],
    ['markup, which is text', '<b>"Ada" & co</b>', '<b>"Ada" & co</b>'],
  ])('the name from the provider is cleaned, shortened or dropped: %s', async (_name, name, expected) => {
    const { email } = newUser(google());
    google().claims = { name: name ?? undefined };
    const { json } = await signIn().finally(() => {
      google().claims = undefined;
    });
    expect(json.user.display_name).toBe(expected);
    const organization = await findOrganization(json.user.organization_id);
    expect(organization.name).toBe(expected ?? email!.split('@')[0]);
    expect(organization.slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(organization.slug.length).toBeLessThanOrEqual(63);
  });

  it.each([
    ['?locale=de-ch', 'en', 'de-CH'],
    ['?locale=not%20a%20tag', 'de', 'de'],
    ['?locale=de&locale=en', 'en', 'en'],
    ['', 'fr, de;q=0.5', 'de'],
    ['', 'fr', null],
  ])('start%s with Accept-Language %s: the locale of the account is %s', async (query, accepted, expected) => {
    newUser(google());
    const browser = createBrowser(third.app);
    const headers = { 'accept-language': accepted };
    const start = await browser.get(`/auth/oauth/${google().provider}/start${query}`, { headers });
    expect(start.status).toBe(302);
    const { json } = await comeBack(browser, google(), start.headers.location as string);
    expect((await findUser(third.app, json.user.user_id)).locale).toBe(expected);
  });

  it('the name of an Apple user is read from the form, and that of a GitHub user without a name is the login', async () => {
    const { app, fakes } = third;
    const apple = await arriveBy(app, fakes.oauth_d, { name: 'Ada \u202eLovelace' });
    expect((await findUser(app, apple.user_id)).display_name).toBe('Ada Lovelace');
    const octocat = await arriveBy(app, fakes.oauth_b, { name: null });
    expect((await findUser(app, octocat.user_id)).display_name).toBe(`login-${octocat.external.subject}`);
  });

  it('a name that changes at the provider after registration is ignored', async () => {
    const account = await arriveBy(third.app, google(), { name: 'Before' });
    google().person = { ...account.external, name: 'After' };
    expect((await signIn()).json.user.display_name).toBe('Before');
  });

  it('the slug is derived from the name and made unique', async () => {
    const slugs = [];
    for (let index = 0; index < 3; index++) {
      const { organization_id } = await arriveBy(third.app, google(), { name: 'Grace Hopper' });
      slugs.push((await findOrganization(organization_id)).slug);
    }
    const suffixed = expect.stringMatching(/^grace-hopper-[0-9a-f]{6}$/);
    expect(slugs).toEqual(['grace-hopper', suffixed, suffixed]);
    const nameless = await arriveBy(third.app, google(), { name: '🦉' });
    expect((await findOrganization(nameless.organization_id)).slug).toMatch(/^org-[0-9a-f]{8}$/);
  });
});

describe('settings for registration', () => {
  it('LIMIT_REGISTRATION_PER_ADDRESS counts all registrations; existing users can still sign in', async () => {
    const few = await startThirdParties({ environment: { LIMIT_REGISTRATION_PER_ADDRESS: '2/1h' } });
    const { app, fakes } = few;
    const account = await arriveBy(app, fakes.oauth_a);
    // This request is rejected, but counted.
    expect((await createBrowser(app).post('/auth/register', {})).status).toBe(400);
    newUser(fakes.oauth_b);
    const { result, rows } = await countingRows(app, TABLES, () => signInWith(app, fakes.oauth_b));
    expect([result.status, wordOf(result)]).toEqual([429, 'rate_limited']);
    expect(Number(result.headers['retry-after'])).toBeGreaterThan(0);
    expect(Object.values(rows)).toEqual(TABLES.map(() => 0));
    const shown = await signInWith(app, fakes.oauth_b, { json: false });
    expect([shown.status, shown.headers.location]).toEqual([302, '/sign-in?error=rate_limited']);
    expect((await signInWith(app, fakes.oauth_a)).json.user.user_id).toBe(account.user_id);
    app.clock.advance(3600);
    expect((await signInWith(app, fakes.oauth_b)).status).toBe(200);
    await few.close();
  });

  it('INITIAL_OWNER_EMAIL: in development the new user becomes platform owner', async () => {
    const email = newEmail('owner');
    const owned = await startThirdParties({ environment: { INITIAL_OWNER_EMAIL: email } });
    const { app, fakes } = owned;
    const other = await arriveBy(app, fakes.oauth_a);
    expect((await findUser(app, other.user_id)).platform_role).toBeNull();
    newUser(fakes.oauth_a, { email });
    const { json, browser } = await signInWith(app, fakes.oauth_a);
    expect(json.capabilities.platform_role).toBe('owner');
    expect((await browser.get('/auth/session')).json.capabilities.platform_role).toBe('owner');
    await owned.close();
  });

  it('INITIAL_OWNER_EMAIL: in production only the mailed link grants the role, no provider', async () => {
    const email = newEmail('owner');
    const production = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com' };
    const owned = await startThirdParties({
      environment: { ...production, INITIAL_OWNER_EMAIL: email, SMTP_URL: 'smtp://127.0.0.1:9' },
    });
    const { app, fakes } = owned;
    for (let index = 0; index < 2; index++) {
      if (index === 0) newUser(fakes.oauth_a, { email });
      const { status, json } = await signInWith(app, fakes.oauth_a);
      expect([status, json.user.email, json.capabilities.platform_role]).toEqual([200, email, null]);
    }
    await owned.close();
  });
});

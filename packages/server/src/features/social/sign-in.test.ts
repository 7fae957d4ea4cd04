import { LIMITS, OAUTH_PROVIDERS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimsOf, createBrowser, newEmail } from '../../../test/browser.ts';
import { WORK_TENANT } from '../../../test/fake-providers/microsoft.ts';
import {
  auditOf,
  countingRows,
  countSessions,
  endMemberships,
  findSession,
  findUser,
  join,
  setUser,
  suspendOrganization,
} from '../../../test/records.ts';
import {
  arriveBy,
  comeBack,
  identitiesOf,
  linkWith,
  livingOf,
  newAccount,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from './oauth-fixture.ts';

let third: ThirdParties;
let closed: ThirdParties;
beforeAll(async () => {
  [third, closed] = await Promise.all([
    startThirdParties(),
    startThirdParties({ environment: { REGISTRATION: 'closed' } }),
  ]);
});
afterAll(() => Promise.all([third.close(), closed.close()]));

const google = () => third.fakes.oauth_a;
const signIn = () => signInWith(third.app, google());

describe('users are identified by provider, issuer and subject, and never by email', () => {
  it('a user with a new email at the provider signs in to the same account, which keeps its email; the identity gets the new one', async () => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    app.clock.advance(60);
    google().person = { ...registered.external, email: 'Another-One@Elsewhere.Example' };
    const again = await signIn();
    expect(again.json.user).toMatchObject({ user_id: registered.user_id, email: registered.email });
    expect(await identitiesOf(app, registered.user_id)).toMatchObject([
      { subject: registered.external.subject, email: 'another-one@elsewhere.example', last_used_at: app.clock.now() },
    ]);
  });

  it('a user whose new email at the provider is that of another account, verified on both sides, signs in to their own account', async () => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    const other = await newAccount(app);
    google().person = { ...registered.external, email: other.email };
    expect((await signIn()).json.user.user_id).toBe(registered.user_id);
    expect(await identitiesOf(app, other.user_id)).toEqual([]);
  });

  it('without a valid email a known user signs in, and the known email stays', async () => {
    const registered = await arriveBy(third.app, google());
    for (const email of [null, 'no address']) {
      google().person = { ...registered.external, email };
      expect((await signIn()).json.user.user_id).toBe(registered.user_id);
    }
    expect((await identitiesOf(third.app, registered.user_id))[0]!.email).toBe(registered.email);
  });

  it('the same subject at another provider is another user', async () => {
    const { app, fakes } = third;
    const registered = await arriveBy(app, google());
    for (const provider of OAUTH_PROVIDERS.slice(1)) {
      const other = await arriveBy(app, fakes[provider], { subject: registered.external.subject });
      expect(other.user_id).not.toBe(registered.user_id);
    }
  });

  it('Microsoft: the same subject in another tenant is another user', async () => {
    const { app, fakes } = third;
    const registered = await arriveBy(app, fakes.oauth_c, { tenant: WORK_TENANT });
    const { subject } = registered.external;
    const other = await arriveBy(app, fakes.oauth_c, { subject, tenant: '11111111-2222-4333-8444-555555555555' });
    expect(other.user_id).not.toBe(registered.user_id);
    fakes.oauth_c.person = registered.external;
    expect((await signInWith(app, fakes.oauth_c)).json.user.user_id).toBe(registered.user_id);
    const issuers = [await identitiesOf(app, registered.user_id), await identitiesOf(app, other.user_id)].map(
      ([row]) => row!.issuer,
    );
    expect(issuers).toEqual([
      expect.stringContaining(WORK_TENANT),
      expect.stringContaining('11111111-2222-4333-8444-555555555555'),
    ]);
  });

  it('the same email with another subject is another user', async () => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    newUser(google(), { email: registered.email });
    expect(wordOf(await signIn())).toBe('account_exists');
    expect(await identitiesOf(app, registered.user_id)).toHaveLength(1);
  });
});

type Outcome = 'registered' | 'linked' | 'account_exists' | 'account_refused' | 'registration_closed';

/** The state of the account that has the email, and the outcome if the provider has or has not verified the email. */
const FIRST: [string, Parameters<typeof setUser>[2] | undefined, Outcome, Outcome][] = [
  ['no account', undefined, 'registered', 'registered'],
  ['a deleted account', { status: 'deleted' }, 'registered', 'registered'],
  ['a verified account', {}, 'linked', 'account_exists'],
  ['an unverified account', { email_verified_at: null }, 'account_exists', 'account_exists'],
  ['a disabled account, verified', { status: 'disabled' }, 'account_refused', 'account_exists'],
  [
    'a disabled account, unverified',
    { status: 'disabled', email_verified_at: null },
    'account_exists',
    'account_exists',
  ],
];
const CASES = FIRST.flatMap(([name, account, verified, unverified]) =>
  [true, false].flatMap((email_verified) =>
    (['open', 'closed'] as const).map((registration) => {
      const outcome = email_verified ? verified : unverified;
      // While registration is closed, an unverified email must not reveal whether there is an account.
      const isClosed = registration === 'closed' && (outcome === 'registered' || !email_verified);
      const end: Outcome = isClosed ? 'registration_closed' : outcome;
      return { name, account, email_verified, registration, end };
    }),
  ),
);
const STATUS: Record<Outcome, number> = {
  registered: 200,
  linked: 200,
  account_exists: 409,
  account_refused: 401,
  registration_closed: 403,
};
const TABLES = ['users', 'organizations', 'memberships', 'sessions', 'identities', 'mails', 'audit_events'] as const;
const NOTHING = { users: 0, organizations: 0, memberships: 0, sessions: 0, identities: 0, mails: 0, audit_events: 1 };
const LINKED = { ...NOTHING, sessions: 1, identities: 1, mails: 1, audit_events: 2 };
const WRITTEN: Partial<Record<Outcome, typeof NOTHING>> = {
  linked: LINKED,
  registered: { ...LINKED, users: 1, organizations: 1, memberships: 1, audit_events: 3 },
};

describe('the first third-party sign-in', () => {
  it.each(CASES)(
    '$name, verified at the provider: $email_verified, registration $registration: $end',
    async (given) => {
      const { app, fakes } = given.registration === 'open' ? third : closed;
      const account = given.account && (await newAccount(app, given.account));
      const { email_verified } = given;
      const { email } = newUser(fakes.oauth_a, { email_verified, ...(account && { email: account.email }) });
      const { result, rows } = await countingRows(app, TABLES, () => signInWith(app, fakes.oauth_a));
      expect(result.status, result.text).toBe(STATUS[given.end]);
      expect(rows).toEqual(WRITTEN[given.end] ?? NOTHING);
      if (given.end === 'linked') expect(result.json.user.user_id).toBe(account!.user_id);
      if (given.end === 'registered') {
        expect(result.json.user).toMatchObject({ email, email_verified: false });
        expect(result.json.user.user_id).not.toBe(account?.user_id);
        expect(result.json.user.organization_id).not.toBe(account?.organization_id);
      }
      if (result.status === 200) return;
      expect(wordOf(result)).toBe(given.end);
      expect([...result.browser.jar.keys()]).toEqual(['service_oauth']);
      const [auditRow] = (await auditOf(app, { action: 'auth.oauth.failed' })).slice(-1);
      expect(auditRow).toMatchObject({
        outcome: 'failure',
        ...(given.end !== 'account_refused' && { actor_type: 'anonymous', actor_id: null }),
        resource_id: given.end === 'registration_closed' ? expect.any(String) : account!.user_id,
        metadata: { provider: 'oauth_a', reason: given.end },
      });
    },
  );

  it.each(['oauth_a', 'oauth_b', 'oauth_c', 'oauth_d'] as const)(
    'an email that %s reports as verified links the identity to the account with this email',
    async (provider) => {
      const { app, fakes } = third;
      const account = await newAccount(app);
      newUser(fakes[provider], { email: account.email });
      const { json } = await signInWith(app, fakes[provider]);
      expect(json.user).toMatchObject({ user_id: account.user_id, email_verified: true, auth_method: 'social_oauth' });
    },
  );

  it('an email that equals that of the account only after normalization is another mailbox: not linked', async () => {
    const { app } = third;
    const email = newEmail('kim');
    const account = await newAccount(app, { email });
    newUser(google(), { email: `\u212a${email.slice(1)}` });
    expect(wordOf(await signIn())).toBe('account_exists');
    for (const blank of [' ', '\u00a0', '\u3000', '\ufeff']) {
      newUser(google(), { email: `${blank}${email}` });
      expect(wordOf(await signIn())).toBe('account_exists');
    }
    newUser(google(), { email: `K${email.slice(1)}` });
    expect((await signIn()).json.user.user_id).toBe(account.user_id);
  });

  it('an identity is not linked over the maximum number of identities per account', async () => {
    const { app } = third;
    const account = await newAccount(app);
    const rows = Array.from({ length: LIMITS.identitiesPerUser }, (_, index) => ({
      id: uuid(),
      user_id: account.user_id,
      provider: 'oauth_b' as const,
      issuer: 'https://github.com',
      subject: `many-${account.user_id}-${index}`,
      email: null,
      linked_at: app.clock.now(),
      last_used_at: null,
      revoked_at: index === 0 ? app.clock.now() : null,
    }));
    await app.deps.db.insertInto('identities').values(rows).execute();
    newUser(google(), { email: account.email });
    const { status, browser } = await signIn();
    expect(status).toBe(200);
    newUser(google(), { email: account.email });
    const refused = await countingRows(app, ['mails', 'identities'], signIn);
    expect(wordOf(refused.result)).toBe('account_refused');
    expect(refused.rows).toEqual({ mails: 0, identities: 0 });
    const [auditRow] = (await auditOf(app, { action: 'auth.oauth.failed' })).slice(-1);
    expect(auditRow).toMatchObject({ actor_id: account.user_id, metadata: { reason: 'account_refused' } });
    newUser(google());
    expect(wordOf(await linkWith(browser, google()))).toBe('account_refused');
    expect(await livingOf(app, account.user_id)).toHaveLength(LIMITS.identitiesPerUser);
  });

  it('Facebook never links by email', async () => {
    const { app, fakes } = third;
    const account = await newAccount(app);
    newUser(fakes.oauth_e, { email: account.email });
    expect(wordOf(await signInWith(app, fakes.oauth_e))).toBe('account_exists');
    expect(await identitiesOf(app, account.user_id)).toEqual([]);
  });

  it('email_missing without an email, with an invalid one, or for GitHub without a verified one', async () => {
    const { app, fakes } = third;
    const account = await newAccount(app);
    const hidden = [
      [google(), { email: null }],
      [google(), { email: 'no address' }],
      [fakes.oauth_e, { email: null }],
      [fakes.oauth_b, { email: account.email, email_verified: false }],
    ] as const;
    for (const [fake, changes] of hidden) {
      newUser(fake, changes);
      const { result, rows } = await countingRows(app, TABLES, () => signInWith(app, fake));
      expect([result.status, wordOf(result)]).toEqual([401, 'email_missing']);
      expect(rows).toEqual(NOTHING);
    }
  });

  it('a later sign-in finds the linked identity, also once the account is unverified or renamed', async () => {
    const { app } = third;
    const account = await newAccount(app);
    newUser(google(), { email: account.email });
    await signIn();
    await setUser(app, account.user_id, { email: `renamed-${account.email}`, email_verified_at: null });
    expect((await signIn()).json.user.user_id).toBe(account.user_id);
    expect(await identitiesOf(app, account.user_id)).toHaveLength(1);
  });
});

describe('an account that cannot be signed in to', () => {
  it.each(['disabled', 'deleted'] as const)('%s: account_refused for a linked identity', async (status) => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    await setUser(app, registered.user_id, { status });
    const { result, rows } = await countingRows(app, TABLES, signIn);
    expect([result.status, wordOf(result)]).toEqual([401, 'account_refused']);
    expect(rows).toEqual(NOTHING);
    expect(result.set_cookies).toEqual([]);
  });

  it('account_refused without an active organization, and nothing is linked; a user with another organization signs in to it', async () => {
    const { app } = third;
    for (const leave of [
      suspendOrganization,
      (_app: typeof app, _id: string, user: string) => endMemberships(app, user),
    ]) {
      const known = await arriveBy(app, google());
      const account = await newAccount(app);
      await leave(app, known.organization_id, known.user_id);
      await leave(app, account.organization_id, account.user_id);
      const returning = google().person;
      const first = newUser(google(), { email: account.email });
      for (const external of [returning, first]) {
        google().person = external;
        const { result, rows } = await countingRows(app, TABLES, signIn);
        expect([result.status, wordOf(result)]).toEqual([401, 'account_refused']);
        expect(rows).toEqual(NOTHING);
      }
      for (const [external, { user_id }] of [
        [returning, known],
        [first, account],
      ] as const) {
        const organization_id = await join(app, user_id);
        google().person = external;
        expect((await signIn()).json.user).toMatchObject({ user_id, organization_id });
      }
    }
  });

  it('signs in to the organization last used', async () => {
    const registered = await arriveBy(third.app, google());
    const other = await join(third.app, registered.user_id);
    expect((await signIn()).json.user.organization_id).toBe(registered.organization_id);
    await setUser(third.app, registered.user_id, { last_organization_id: other });
    expect((await signIn()).json).toMatchObject({ user: { organization_id: other }, capabilities: { role: 'member' } });
  });
});

describe('organization_id at the start', () => {
  const into = async (organization_id: string, fake = google()) => {
    const browser = createBrowser(third.app);
    const { headers } = await browser.get(`/auth/oauth/${fake.provider}/start?organization_id=${organization_id}`);
    return comeBack(browser, fake, headers.location as string);
  };

  it('organization_id selects the organization, for a linked identity and at the first sign-in', async () => {
    const registered = await arriveBy(third.app, google());
    const other = await join(third.app, registered.user_id);
    expect((await into(other)).json.user).toMatchObject({ user_id: registered.user_id, organization_id: other });
    const account = await newAccount(third.app);
    const second = await join(third.app, account.user_id);
    newUser(google(), { email: account.email });
    expect((await into(second)).json.user).toMatchObject({ user_id: account.user_id, organization_id: second });
  });

  it('account_refused if organization_id names one without membership or a suspended one: nothing is linked or registered', async () => {
    const { app } = third;
    const { organization_id: foreign } = await newAccount(app);
    const known = await arriveBy(app, google());
    const returning = google().person;
    const account = await newAccount(app);
    const first = newUser(google(), { email: account.email });
    const outsider = newUser(google());
    const suspended = await join(app, known.user_id);
    await suspendOrganization(app, suspended);
    for (const external of [returning, first, outsider]) {
      for (const organization_id of [foreign, suspended]) {
        google().person = external;
        const { result, rows } = await countingRows(app, TABLES, () => into(organization_id));
        expect([result.status, wordOf(result), result.set_cookies]).toEqual([401, 'account_refused', []]);
        expect(rows).toEqual(NOTHING);
      }
    }
  });

  it('400 for an organization_id that is not a UUID', async () => {
    expect((await createBrowser(third.app).get('/auth/oauth/oauth_a/start?organization_id=x')).status).toBe(400);
  });
});

describe('§2.2 the session', () => {
  it('is aal1 and social_oauth, with auth_time now; the token contains the email', async () => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    app.clock.advance(60);
    const { json, browser } = await signIn();
    const now = app.clock.now();
    expect(claimsOf(json.access_token)).toMatchObject({
      sub: registered.user_id,
      org: registered.organization_id,
      email: registered.email,
      aal: 'aal1',
      auth_method: 'social_oauth',
      auth_time: now.getTime() / 1000,
      typ: 'access',
    });
    const session = await findSession(app, json.user.session_family_id);
    expect(session).toMatchObject({ aal: 'aal1', auth_method: 'social_oauth', auth_time: now, mfa_verified_at: null });
    expect((await findUser(app, registered.user_id)).last_login_at).toEqual(now);
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    expect(await countSessions(app, registered.user_id)).toBe(2);
  });

  it('a new session replaces the session of another user in this browser', async () => {
    const { app, fakes } = third;
    const other = await arriveBy(app, fakes.oauth_b);
    const registered = await arriveBy(app, google());
    await signInWith(app, google(), { browser: other.browser });
    expect((await other.browser.get('/auth/session')).json.user.user_id).toBe(registered.user_id);
  });
});

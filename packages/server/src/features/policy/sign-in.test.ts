import type { Policy, PolicyMethod } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginSigningIn, type Keyholder, withPasskey } from '../../../test/authenticator.ts';
import { type Answer, type Browser, createBrowser } from '../../../test/browser.ts';
import { auditOf, countingRows, join, setUser, trustBrowser } from '../../../test/records.ts';
import { type Enrolled, enrol } from '../../../test/second-factor.ts';
import { insertDomain } from '../../../test/sso-fixture.ts';
import {
  arrive,
  begin,
  linkWith,
  newAccount,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from '../social/oauth-fixture.ts';
import { from, givePolicy } from './policy-fixture.ts';

type Method = Exclude<PolicyMethod, 'sso'>;
const METHODS: readonly Method[] = ['password', 'passkey', 'email_otp', 'oauth'];
const HERE = '192.0.2.10';

interface Person extends Keyholder {
  readonly totp?: Enrolled['app'];
  readonly trust?: string;
  readonly external: ThirdParties['fakes']['oauth_a']['person'];
}

let third: ThirdParties;
let people: Record<'without MFA' | 'with MFA' | 'with MFA and a trusted browser', Person>;
beforeAll(async () => {
  third = await startThirdParties({ environment: { TRUST_PROXY: '127.0.0.1' } });
  const plain = await newPerson();
  const enrolled = await enrolledPerson();
  const trusting = await enrolledPerson();
  people = {
    'without MFA': plain,
    'with MFA': enrolled,
    'with MFA and a trusted browser': {
      ...trusting,
      trust: await trustBrowser(third.app, trusting.user_id, { expires_at: new Date('2100-01-01') }),
    },
  };
});
afterAll(() => third.close());

async function newPerson(): Promise<Person> {
  const user = await withPasskey(third.app);
  const external = newUser(third.fakes.oauth_a);
  const linked = await linkWith(user.browser, third.fakes.oauth_a);
  expect(linked.status, linked.text).toBe(200);
  await setUser(third.app, user.user_id, { email_verified_at: third.app.clock.now() });
  return { ...user, external };
}

async function enrolledPerson(): Promise<Person> {
  const user = await newPerson();
  return { ...user, totp: (await enrol(third.app, user)).app };
}

/** The requests of each sign-in method, up to the second factor. */
const FIRST_STEP: Readonly<Record<Method, (person: Person, browser: Browser) => Promise<Answer>>> = {
  password: ({ email, password }, browser) => browser.post('/auth/login', { email, password }, { headers: from(HERE) }),
  passkey: async ({ email, device }, browser) => {
    const credential = device.get(await beginSigningIn(third.app, email));
    return browser.post('/auth/passkey/login/complete', { credential }, { headers: from(HERE) });
  },
  email_otp: async ({ email }, browser) => {
    await browser.post('/auth/email-otp/request', { email });
    const code = await third.app.mailbox.takeCode(email);
    return browser.post('/auth/email-otp/verify', { email, code }, { headers: from(HERE) });
  },
  oauth: async ({ external }, browser) => {
    third.fakes.oauth_a.person = external;
    const send: Browser['send'] = (method, path, ask) =>
      browser.send(method, path, { ...ask, headers: { ...ask?.headers, ...from(HERE) } });
    return signInWith(third.app, third.fakes.oauth_a, {
      browser: { ...browser, send, get: (path, ask) => send('GET', path, ask) },
    });
  },
};

/** Signs in, with the second factor if it is required. Returns the outcome under the policy. */
async function outcomeOf(person: Person, method: Method): Promise<string> {
  // Advances past the current TOTP step and the window of the mail limit.
  third.app.clock.advance(120);
  const browser = createBrowser(
    third.app,
    person.trust ? new Map([person.trust.split('=') as [string, string]]) : undefined,
  );
  let answer = await FIRST_STEP[method](person, browser);
  if (answer.json.status === 'mfa_required') {
    const { mfa_token } = answer.json;
    answer = await browser.post(
      '/auth/mfa/challenge',
      { mfa_token, code: person.totp!.code() },
      { headers: from(HERE) },
    );
  }
  if (answer.status !== 200) return `${answer.status} ${answer.json.error.code}`;
  const { extensions, aal } = answer.json.user;
  return extensions.restricted ?? aal;
}

/** The assurance level of each method without a policy. A trusted browser replaces the second factor of two methods. */
const ASSURANCE: Readonly<Record<Method, Record<keyof typeof people, 'aal1' | 'aal2'>>> = {
  password: { 'without MFA': 'aal1', 'with MFA': 'aal2', 'with MFA and a trusted browser': 'aal1' },
  passkey: { 'without MFA': 'aal2', 'with MFA': 'aal2', 'with MFA and a trusted browser': 'aal2' },
  email_otp: { 'without MFA': 'aal1', 'with MFA': 'aal2', 'with MFA and a trusted browser': 'aal1' },
  oauth: { 'without MFA': 'aal1', 'with MFA': 'aal2', 'with MFA and a trusted browser': 'aal2' },
};

const REFUSED = '403 forbidden';

describe.each(METHODS)('policy: a sign-in by %s', (method) => {
  describe.each(['without MFA', 'with MFA', 'with MFA and a trusted browser'] as const)('of a member %s', (kind) => {
    const usual = ASSURANCE[method][kind];
    const others = METHODS.filter((other) => other !== method);
    const restricted = kind === 'without MFA' && usual === 'aal1' ? 'mfa_enrollment' : usual;
    const table: [Partial<Policy>, string][] = [
      [{}, usual],
      [{ require_mfa: true }, restricted],
      [{ allowed_methods: [method] }, usual],
      [{ allowed_methods: others }, REFUSED],
      [{ session_max_age_seconds: 900 }, usual],
      [{ allowed_networks: ['192.0.2.0/24'] }, usual],
      [{ allowed_networks: ['198.51.100.0/24', '2001:db8::/32'] }, REFUSED],
      [{ require_mfa: true, allowed_methods: others }, REFUSED],
    ];
    it.each(table)('with the policy %j yields %s', async (policy, expected) => {
      const person = people[kind];
      await givePolicy(third.app, person.organization_id, policy);
      expect(await outcomeOf(person, method)).toBe(expected);
    });
  });
});

describe('a sign-in of an owner with MFA, whose organization requires single sign-on', () => {
  beforeAll(async () => {
    const { email } = people['with MFA'];
    await insertDomain(third.app, people['with MFA'], email.slice(email.indexOf('@') + 1));
  });

  it.each<[Method, string]>([
    ['password', 'aal2'],
    ['passkey', 'aal2'],
    ['email_otp', REFUSED],
    ['oauth', REFUSED],
  ])('by %s yields %s', async (method, expected) => {
    const person = people['with MFA'];
    await givePolicy(third.app, person.organization_id, { sso_required: true });
    expect(await outcomeOf(person, method)).toBe(expected);
  });
});

describe('a sign-in that the policy rejects', () => {
  const last = async (user_id: string) => (await auditOf(third.app, { resource_id: user_id })).at(-1);

  it.each(METHODS)('is audited as a failure with the reason policy: %s', async (method) => {
    const person = people['without MFA'];
    await givePolicy(third.app, person.organization_id, { allowed_methods: ['sso'] });
    await outcomeOf(person, method);
    expect(await last(person.user_id)).toMatchObject({
      outcome: 'failure',
      actor_id: person.user_id,
      organization_id: person.organization_id,
      metadata: { reason: 'policy' },
    });
  });

  it('does not link an identity at the first third-party sign-in, sends no notice, and uses up the state', async () => {
    const { app, fakes } = third;
    const user = await newAccount(app);
    await givePolicy(app, user.organization_id, { allowed_methods: ['password'] });
    newUser(fakes.oauth_a, { email: user.email });
    const browser = createBrowser(app);
    const callback = await arrive(browser, fakes.oauth_a, await begin(browser, 'oauth_a'));
    const open = () => browser.get(callback, { headers: { accept: 'application/json' } });
    const { result, rows } = await countingRows(app, ['identities', 'mails', 'sessions', 'audit_events'], open);
    expect([result.status, wordOf(result)]).toEqual([403, 'account_refused']);
    expect(rows).toEqual({ identities: 0, mails: 0, sessions: 0, audit_events: 1 });
    expect(await last(user.user_id)).toMatchObject({
      action: 'auth.oauth.login',
      outcome: 'failure',
      metadata: { provider: 'oauth_a', reason: 'policy' },
    });
    await givePolicy(app, user.organization_id, {});
    expect(wordOf(await open())).toBe('invalid_state');
  });

  it('redirects a third-party sign-in in a browser to the sign-in page with account_refused', async () => {
    const person = people['without MFA'];
    await givePolicy(third.app, person.organization_id, { allowed_methods: ['password'] });
    third.fakes.oauth_a.person = person.external;
    const answer = await signInWith(third.app, third.fakes.oauth_a, { json: false });
    expect([answer.status, answer.headers.location]).toEqual([302, '/sign-in?error=account_refused']);
  });

  it('gets the usual 401 for a wrong password: the policy is not revealed', async () => {
    const { email, organization_id } = people['without MFA'];
    await givePolicy(third.app, organization_id, { allowed_methods: ['passkey'] });
    const answer = await createBrowser(third.app).post('/auth/login', { email, password: 'wrong wrong wrong' });
    expect(answer.json.error.code).toBe('authentication_required');
  });

  it('opens a session in another organization of the user if none was named; 403 if one was named', async () => {
    const { email, password, user_id, organization_id } = await newPerson();
    const other = await join(third.app, user_id);
    await givePolicy(third.app, organization_id, { allowed_methods: ['passkey'] });
    const login = (body: object) => createBrowser(third.app).post('/auth/login', { email, password, ...body });
    expect((await login({})).json.user.organization_id).toBe(other);
    expect((await login({ organization_id })).status).toBe(403);
    expect((await login({ organization_id: other })).status).toBe(200);
    await givePolicy(third.app, other, { allowed_methods: ['oauth'] });
    expect((await login({})).status).toBe(403);
  });
});

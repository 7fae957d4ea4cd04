import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, beginSigningIn, createAuthenticator } from '../../../test/authenticator.ts';
import { createBrowser, newEmail, registerUser, type TestUser } from '../../../test/browser.ts';
import { countSessions, findUser, liveSessions, setUser } from '../../../test/records.ts';
import {
  arriveBy,
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
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const google = () => third.fakes.oauth_a;
const facebook = () => third.fakes.oauth_e;
const NEW = 'another correct horse';
const post = (path: string, body: object) => createBrowser(third.app).post(path, body);
const login = (email: string, password: string) => post('/auth/login', { email, password });
const reset = async (email: string) => {
  await third.app.mailbox.take(email);
  await post('/auth/password/forgot', { email });
  const token = await third.app.mailbox.takeToken(email, 'reset-password');
  expect((await post('/auth/password/reset', { token, new_password: NEW })).status).toBe(204);
};
const isShutOut = async ({ browser }: TestUser) => {
  const session = await browser.get('/auth/session');
  const refreshed = await browser.post('/auth/refresh');
  return session.status === 401 && refreshed.status === 401;
};

describe('an attacker has registered the email of the victim first', () => {
  it('the attacker registered with a password: Google is not linked before a reset, but after it; then the attacker has no access', async () => {
    const { app } = third;
    const email = newEmail('victim');
    const attacker = await registerUser(app, { email });
    const device = createAuthenticator();
    expect((await addPasskey(attacker.browser, device)).status).toBe(201);
    const thiefs = newUser(google());
    expect((await linkWith(attacker.browser, google())).json.status).toBe('linked');
    const victim = newUser(google(), { email });

    expect(wordOf(await signInWith(app, google()))).toBe('account_exists');
    expect(await livingOf(app, attacker.user_id)).toMatchObject([{ subject: thiefs.subject }]);
    expect(await liveSessions(app, attacker.user_id)).toEqual([attacker.session_id]);

    await reset(email);
    expect(await isShutOut(attacker)).toBe(true);
    expect((await login(email, attacker.password)).status).toBe(401);
    const credential = device.get(await beginSigningIn(app, email));
    expect((await post('/auth/passkey/login/complete', { credential })).status).toBe(401);
    google().person = thiefs;
    const elsewhere = await signInWith(app, google());
    expect(elsewhere.json.user.user_id).not.toBe(attacker.user_id);
    expect(await identitiesOf(app, attacker.user_id)).toMatchObject([{ subject: null, email: null }]);

    google().person = victim;
    const { json } = await signInWith(app, google());
    expect(json.user).toMatchObject({ user_id: attacker.user_id, email_verified: true });
    expect(await livingOf(app, attacker.user_id)).toMatchObject([{ subject: victim.subject }]);
  });

  it.each([
    ['Facebook, which verifies no email', () => facebook(), {}],
    ['Google, for an email that is not verified there', () => google(), { email_verified: false }],
    ['Microsoft, without xms_edov', () => third.fakes.oauth_c, { xms_edov: undefined }],
  ])(
    'the attacker registered with %s: the reset removes the identity, which never signs in to the account again',
    async (_name, fakeOf, changes) => {
      const { app } = third;
      const email = newEmail('victim');
      const attacker = await arriveBy(app, fakeOf(), { email, ...changes });
      const victim = newUser(third.fakes.oauth_b, { email });
      expect(wordOf(await signInWith(app, third.fakes.oauth_b))).toBe('account_exists');

      await reset(email);
      expect(await isShutOut(attacker)).toBe(true);
      expect(await livingOf(app, attacker.user_id)).toEqual([]);
      fakeOf().person = attacker.external;
      const again = await signInWith(app, fakeOf());
      expect([wordOf(again), again.set_cookies]).toEqual(['account_exists', []]);
      expect(await livingOf(app, attacker.user_id)).toEqual([]);
      expect(await liveSessions(app, attacker.user_id)).toEqual([]);

      third.fakes.oauth_b.person = victim;
      expect((await signInWith(app, third.fakes.oauth_b)).json.user.user_id).toBe(attacker.user_id);
      expect((await login(email, NEW)).status).toBe(200);
    },
  );

  it('a pending link of the attacker adds nothing after the reset', async () => {
    const { app } = third;
    const email = newEmail('victim');
    const attacker = await arriveBy(app, facebook(), { email });
    const begun = await attacker.browser.post('/auth/oauth/oauth_a/link', {});
    await reset(email);
    newUser(google());
    const { callback_url } = await google().authorize(begun.json.authorization_url);
    const { pathname, search } = new URL(callback_url);
    const answer = await attacker.browser.get(pathname.replace('/v1', '') + search, {
      headers: { accept: 'application/json' },
    });
    expect(wordOf(answer)).toBe('invalid_state');
    expect(await livingOf(app, attacker.user_id)).toEqual([]);
  });
});

describe('an account whose email was verified before', () => {
  it('keeps its identities when its owner resets the password', async () => {
    const { app } = third;
    const account = await newAccount(app);
    const { subject } = newUser(google(), { email: account.email });
    await signInWith(app, google());
    await reset(account.email);
    expect(await livingOf(app, account.user_id)).toMatchObject([{ subject }]);
    expect(await liveSessions(app, account.user_id)).toEqual([]);
    expect((await signInWith(app, google())).json.user.user_id).toBe(account.user_id);
  });

  it('a reset removes no identities of other users', async () => {
    const { app } = third;
    const other = await arriveBy(app, google());
    const attacker = await arriveBy(app, facebook());
    await reset(attacker.email);
    expect(await livingOf(app, other.user_id)).toHaveLength(1);
  });
});

describe('an email that the provider has not verified does not sign in to a verified account', () => {
  it.each([
    ['Google: not verified', 'oauth_a', { email_verified: false }],
    ['Apple: not verified', 'oauth_d', { email_verified: false }],
    ['Facebook: never', 'oauth_e', {}],
    ['Microsoft: no xms_edov', 'oauth_c', { xms_edov: undefined }],
    ['Microsoft: false', 'oauth_c', { xms_edov: false }],
    ['Microsoft: false, as a string', 'oauth_c', { xms_edov: 'false' }],
    ['Microsoft: false, as a number', 'oauth_c', { xms_edov: 0 }],
    ['Microsoft: some other value', 'oauth_c', { xms_edov: ['true'] }],
  ] as const)(
    'an email not verified by the provider does not sign in to a verified account: %s',
    async (_name, provider, changes) => {
      const { app, fakes } = third;
      const account = await newAccount(app);
      newUser(fakes[provider], { email: account.email, ...changes } as object);
      const answer = await signInWith(app, fakes[provider]);
      expect([answer.status, wordOf(answer), answer.set_cookies]).toEqual([409, 'account_exists', []]);
      expect(await identitiesOf(app, account.user_id)).toEqual([]);
      expect(await countSessions(app, account.user_id)).toBe(1);
    },
  );

  it('a Microsoft user with email_verified, but without xms_edov, does not get the account with this email: account_exists', async () => {
    const { app, fakes } = third;
    const account = await newAccount(app);
    newUser(fakes.oauth_c, { email: account.email, xms_edov: undefined });
    fakes.oauth_c.claims = { email_verified: true };
    const answer = await signInWith(app, fakes.oauth_c);
    fakes.oauth_c.claims = undefined;
    expect(wordOf(answer)).toBe('account_exists');
  });

  it('a GitHub user gets no account by a verified email that is not the primary one: email_missing', async () => {
    const { app, fakes } = third;
    const account = await newAccount(app);
    const { subject } = newUser(fakes.oauth_b, { email: account.email, email_verified: false });
    const owner = await newAccount(app, { email: `secondary-${subject}@example.com` });
    expect(wordOf(await signInWith(app, fakes.oauth_b))).toBe('email_missing');
    expect([await identitiesOf(app, account.user_id), await identitiesOf(app, owner.user_id)]).toEqual([[], []]);
  });
});

describe('email addresses that change their owner', () => {
  it('a previous email of an account does not match it', async () => {
    const { app } = third;
    const account = await newAccount(app);
    await setUser(app, account.user_id, { email: newEmail('moved') });
    newUser(google(), { email: account.email });
    const { json } = await signInWith(app, google());
    expect(json.user.user_id).not.toBe(account.user_id);
    expect(await identitiesOf(app, account.user_id)).toEqual([]);
  });

  it('a user who changes the email at the provider to that of a victim, verified there, keeps their own account', async () => {
    const { app } = third;
    const victim = await newAccount(app);
    const attacker = await arriveBy(app, google());
    google().person = { ...attacker.external, email: victim.email };
    expect((await signInWith(app, google())).json.user.user_id).toBe(attacker.user_id);
    expect((await findUser(app, attacker.user_id)).email).toBe(attacker.email);
  });

  it('a new account with the email of a deleted one inherits nothing', async () => {
    const { app } = third;
    const gone = await newAccount(app, { display_name: 'Gone', platform_role: 'owner' });
    await setUser(app, gone.user_id, { status: 'deleted' });
    newUser(google(), { email: gone.email, name: 'Somebody New' });
    const { json } = await signInWith(app, google());
    expect(json.user).toMatchObject({ email: gone.email, display_name: 'Somebody New', email_verified: false });
    expect(json.user.organization_id).not.toBe(gone.organization_id);
    expect(json.capabilities.platform_role).toBeNull();
  });
});

import { createHmac, generateKeyPairSync } from 'node:crypto';
import { OAUTH_PROVIDERS } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimsOf, registerUser } from '../../../test/browser.ts';
import { brandOf } from '../../../test/fake-providers/brands.ts';
import { publicEmail, secondaryEmail } from '../../../test/fake-providers/github.ts';
import { OIDC } from '../../../test/fake-providers/right-client.ts';
import type { FakeProvider } from '../../../test/fake-providers/types.ts';
import { auditOf, countSessions, findUser, setUser } from '../../../test/records.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import {
  authorizeAtProvider,
  expectFailure,
  expectRefused,
  newUser,
  saveProvider,
  signInWith,
  startThirdParties,
  type ThirdParties,
  writtenDown,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

describe.each(OAUTH_PROVIDERS)('%s', (provider) => {
  it('signs in a new and a returning user', async () => {
    const { app, fakes } = third;
    const account = newUser(fakes[provider]);
    const first = await signInWith(app, fakes[provider]);
    expect(first.status, first.text).toBe(200);
    const { user, capabilities } = first.json;
    expect(user).toMatchObject({
      email: account.email,
      email_verified: false,
      auth_method: 'social_oauth',
      aal: 'aal1',
    });
    expect(capabilities.role).toBe('owner');
    expect((await first.browser.get('/auth/session')).json.user.user_id).toBe(user.user_id);
    expect((await findUser(app, user.user_id)).password_hash).toBeNull();

    const again = await signInWith(app, fakes[provider]);
    expect(again.status, again.text).toBe(200);
    expect(again.json.user.user_id).toBe(user.user_id);
    expect(await countSessions(app, user.user_id)).toBe(2);
    const auditRows = await auditOf(app, { actor_id: user.user_id });
    expect(auditRows.map(({ action }) => action)).toEqual([
      'auth.register',
      'org.created',
      'auth.oauth.login',
      'auth.oauth.login',
    ]);
  });
});

const lastSegment = (path: string): string => path.split('/').at(-1)!;

/** Returns the last path segment of each request that the provider got during `work`. */
async function countingRequests(fake: FakeProvider, work: () => Promise<unknown>): Promise<string[]> {
  const before = fake.requests.length;
  await work();
  return fake.requests.slice(before).map(({ path }) => lastSegment(path));
}

const signInOk = async (fake: FakeProvider) => {
  const answer = await signInWith(third.app, fake);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.user;
};

async function verifiedPerson() {
  const account = await registerUser(third.app);
  await setUser(third.app, account.user_id, { email_verified_at: third.app.clock.now() });
  return account;
}

it('the providers with signed id_tokens are Google, Microsoft and Apple', () => {
  expect(OIDC).toEqual(['oauth_a', 'oauth_c', 'oauth_d']);
});

describe.each(OIDC)('%s: signing keys', (provider) => {
  const keys = lastSegment(brandOf(definitionOf(provider)).paths.jwks!);
  it('signing keys are cached for ten minutes', async () => {
    const fake = third.fakes[provider];
    newUser(fake);
    third.app.clock.advance(601);
    expect(await countingRequests(fake, () => signInOk(fake))).toEqual(['token', keys]);
    third.app.clock.advance(599);
    expect(await countingRequests(fake, () => signInOk(fake))).toEqual(['token']);
    third.app.clock.advance(1);
    expect(await countingRequests(fake, () => signInOk(fake))).toEqual(['token', keys]);
  });

  it('signing keys are requested once more after a rotation', async () => {
    const fake = third.fakes[provider];
    newUser(fake);
    await signInOk(fake);
    fake.rotateKeys();
    expect(await countingRequests(fake, () => signInOk(fake))).toEqual(['token', keys]);
    expect(await countingRequests(fake, () => signInOk(fake))).toEqual(['token']);
  });

  it('an unpublished signing key causes one request for the keys in each attempt', async () => {
    const fake = third.fakes[provider];
    newUser(fake);
    await signInOk(fake);
    fake.token_fault = 'unknown_kid';
    for (const _ of [1, 2]) {
      const asked = await countingRequests(fake, async () =>
        expectFailure(await signInWith(third.app, fake), 'provider_error'),
      );
      expect(asked).toEqual(['token', keys]);
    }
    fake.token_fault = undefined;
    expect(await countingRequests(fake, () => signInOk(fake))).toEqual(['token']);
  });
});

describe('oauth_a, Google', () => {
  it.each([
    [true, 200],
    ['true', 200],
    [false, 409],
    ['false', 409],
    [1, 409],
    ['yes', 409],
    [null, 409],
    [undefined, 409],
  ])(
    'email_verified %j at Google: a sign-in with the email of a verified account gets %i',
    async (email_verified, status) => {
      const { email } = await verifiedPerson();
      const fake = third.fakes.oauth_a;
      newUser(fake, { email });
      fake.claims = { email_verified };
      expect((await signInWith(third.app, fake)).status).toBe(status);
      fake.claims = undefined;
    },
  );

  it.each([
    ['none', undefined],
    ['not an address', 'not an address'],
    ['two', 'a@example.com,b@example.com'],
    ['a list', ['a@example.com']],
    ['one with a line break', 'a@example.com\nb@example.com'],
    ['one with NUL', 'a\u0000@example.com'],
    ['one that is too long', `${'a'.repeat(250)}@example.com`],
  ])('email_missing for an email that is %s', async (_what, email) => {
    const fake = third.fakes.oauth_a;
    newUser(fake);
    fake.claims = { email };
    expectFailure(await signInWith(third.app, fake), 'email_missing');
    fake.claims = undefined;
  });

  it('an email from Google in upper case belongs to the same account', async () => {
    const { email, user_id } = await verifiedPerson();
    newUser(third.fakes.oauth_a, { email: email.toUpperCase() });
    expect((await signInOk(third.fakes.oauth_a)).user_id).toBe(user_id);
  });
});

describe('oauth_b, GitHub', () => {
  it('only the verified primary email of a GitHub user is used', async () => {
    const fake = third.fakes.oauth_b;
    const { subject, email } = newUser(fake);
    const asked = await countingRequests(fake, async () => expect((await signInOk(fake)).email).toBe(email));
    expect(asked.slice(1).sort()).toEqual(['emails', 'user']);
    newUser(fake, { email_verified: false });
    expectFailure(await signInWith(third.app, fake), 'email_missing');
    newUser(fake, { email: null });
    expectFailure(await signInWith(third.app, fake), 'email_missing');
    const users = third.app.deps.db.selectFrom('users').select('id');
    for (const other of [publicEmail(subject), secondaryEmail(subject)])
      expect(await users.where('email', '=', other).execute()).toEqual([]);
  });

  it('neither the public nor a secondary email of a GitHub user signs in to the account that has it', async () => {
    const fake = third.fakes.oauth_b;
    const { subject } = newUser(fake, { email_verified: false });
    for (const email of [publicEmail(subject), secondaryEmail(subject)]) {
      const { user_id } = await registerUser(third.app, { email });
      await setUser(third.app, user_id, { email_verified_at: third.app.clock.now() });
    }
    expectFailure(await signInWith(third.app, fake), 'email_missing');
    const { email } = newUser(fake, { subject });
    expect((await signInOk(fake)).email).toBe(email);
  });

  it('a known user signs in even without an email at GitHub', async () => {
    const fake = third.fakes.oauth_b;
    const { subject } = newUser(fake);
    const { user_id } = await signInOk(fake);
    newUser(fake, { subject, email: null });
    expect((await signInOk(fake)).user_id).toBe(user_id);
  });

  it('a wrong secret is reported with the error code of GitHub, only in the log', async () => {
    const fake = third.fakes.oauth_b;
    await saveProvider(third.app, 'oauth_b', { ...fake.settings, secret: 'hush hush hush' });
    const answer = await signInWith(third.app, fake);
    expectFailure(answer, 'provider_error');
    expect(third.app.logs.at(-2)).toMatchObject({ provider: 'oauth_b', cause: 'incorrect_client_credentials' });
    expect(await writtenDown(third.app)).not.toContain('hush hush');
    await saveProvider(third.app, 'oauth_b', fake.settings);
  });
});

describe('oauth_e, Facebook', () => {
  it('Facebook is called with an appsecret_proof, and with the token in a header', async () => {
    const fake = third.fakes.oauth_e;
    newUser(fake);
    await signInOk(fake);
    const { headers, query } = fake.requests.at(-1)!;
    const [scheme, access_token] = headers.authorization!.split(' ');
    const appsecret_proof = createHmac('sha256', fake.settings.secret).update(access_token!).digest('hex');
    expect(scheme).toBe('Bearer');
    expect(query).toEqual({ fields: 'id,name,email', appsecret_proof });
  });

  it('an email from Facebook never counts as verified', async () => {
    const { email } = await verifiedPerson();
    newUser(third.fakes.oauth_e, { email });
    expectFailure(await signInWith(third.app, third.fakes.oauth_e), 'account_exists');
  });

  it('email_missing if Facebook was not granted the email permission', async () => {
    newUser(third.fakes.oauth_e, { email: null });
    expectFailure(await signInWith(third.app, third.fakes.oauth_e), 'email_missing');
  });
});

describe('oauth_d, Apple', () => {
  const secretsOf = (fake: FakeProvider) =>
    fake.requests.flatMap(({ form }) => (form?.client_secret === undefined ? [] : [form.client_secret]));

  it('a client secret for Apple is created for each exchange', async () => {
    const fake = third.fakes.oauth_d;
    newUser(fake);
    await signInOk(fake);
    third.app.clock.advance(60);
    await signInOk(fake);
    const [first, second] = secretsOf(fake).slice(-2).map(claimsOf);
    expect(second.iat - first.iat).toBe(60);
    const iat = third.app.clock.now().getTime() / 1000;
    const { team_id, client_id } = fake.settings.public_config;
    expect(second).toEqual({ iss: team_id, sub: client_id, aud: fake.url, iat, exp: iat + 300 });
    expect(secretsOf(fake).join()).not.toContain('PRIVATE KEY');
  });

  it.each([
    ['not a PEM', 'hush: not a key at all'],
    ['a truncated PEM', '-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----'],
    ['a key of another kind', generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })],
  ])('%s: provider_error, and Apple gets no request', async (_what, secret) => {
    const fake = third.fakes.oauth_d;
    newUser(fake);
    const trip = await authorizeAtProvider(third.app, fake);
    await saveProvider(third.app, 'oauth_d', { ...fake.settings, secret: secret as string });
    expect(await countingRequests(fake, () => expectRefused(third.app, trip, 'provider_error'))).toEqual([]);
    expect(third.app.logs.at(-2)).toMatchObject({ provider: 'oauth_d', cause: 'private_key' });
    expect(await writtenDown(third.app)).not.toMatch(/hush|PRIVATE KEY/);
    await saveProvider(third.app, 'oauth_d', fake.settings);
  });

  it('the name of an Apple user comes from the form of the first sign-in, never from the token', async () => {
    const fake = third.fakes.oauth_d;
    newUser(fake, { name: 'Grace Hopper' });
    expect((await signInOk(fake)).display_name).toBe('Grace Hopper');
    expect((await signInOk(fake)).display_name).toBe('Grace Hopper');
  });
});

import { OAUTH_PROVIDERS } from '@gatehouse/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OIDC, REQUESTED } from '../../../test/fake-providers/right-client.ts';
import type { Fault, TokenFault } from '../../../test/fake-providers/types.ts';
import { countingRows } from '../../../test/records.ts';
import {
  authorizeAtProvider,
  expectFailure,
  expectRefused,
  newUser,
  openCallback,
  signInWith,
  startThirdParties,
  type ThirdParties,
  WRITTEN,
  writtenDown,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties({ environment: { LIMIT_OAUTH_PER_ADDRESS: '100000/1h' } });
  // Tests advance the clock many times: a sweep would delete old states while new ones are counted.
  await third.app.sweeper.stop();
});
afterAll(() => third.close());
afterEach(() => {
  for (const fake of Object.values(third.fakes)) {
    fake.token_fault = undefined;
    fake.fault = undefined;
    fake.claims = undefined;
  }
});

const lastWarning = () =>
  third.app.logs.filter(({ msg }) => msg === 'a third-party sign-in failed').at(-1) as { cause: string };

describe.each(OIDC)('%s: an invalid id_token', (provider) => {
  const faults: [TokenFault, string][] = [
    ['nonce', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['no_nonce', 'OAUTH_INVALID_RESPONSE'],
    ['audience', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['two_audiences', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['issuer', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['foreign_key', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
    ['unknown_kid', 'unknown_key'],
    ['none', ''],
    ['hs256', ''],
    ['expired', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'],
    ['not_yet', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'],
    ['no_subject', 'OAUTH_INVALID_RESPONSE'],
    ['tampered', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
    ['garbage', ''],
    ['missing', ''],
  ];
  it.each(faults)('%s: provider_error, and nothing is written', async (fault, cause) => {
    const fake = third.fakes[provider];
    newUser(fake);
    fake.token_fault = fault;
    await expectRefused(third.app, await authorizeAtProvider(third.app, fake), 'provider_error');
    expect(lastWarning()).toMatchObject({
      level: 40,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider,
      cause: expect.stringMatching(cause || /^[\w.]+$/),
    });
  });

  it('the next valid id_token is accepted after invalid ones', async () => {
    newUser(third.fakes[provider]);
    expect((await signInWith(third.app, third.fakes[provider])).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a subject that is empty', { sub: '' }],
    ['a subject that is a list', { sub: ['a'] }],
    ['a subject with NUL', { sub: 'a\u0000b' }],
    ['a subject that looks like another', { sub: '１２３' }],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
    ['an empty audience', { aud: [] }],
    ['several audiences without azp', { aud: [`${provider}-client`, 'another'], azp: undefined }],
    ['one audience and another azp', { azp: 'another' }],
    ['an audience that only begins alike', { aud: `${provider}-client-2` }],
    ['no audience', { aud: undefined }],
    ['no issuer', { iss: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is a string', { exp: '9999999999' }],
    ['no issue time', { iat: undefined }],
    ['a nonce that is a list', { nonce: [''] }],
  ])('provider_error for %s', async (_what, claims) => {
    const fake = third.fakes[provider];
    newUser(fake);
    fake.claims = claims;
    await expectRefused(third.app, await authorizeAtProvider(third.app, fake), 'provider_error');
  });

  it('several audiences are accepted if azp is this client', async () => {
    const fake = third.fakes[provider];
    newUser(fake);
    fake.claims = { aud: ['another', `${provider}-client`], azp: `${provider}-client` };
    expect((await signInWith(third.app, fake)).status).toBe(200);
    fake.claims = { aud: [`${provider}-client`], azp: undefined };
    expect((await signInWith(third.app, fake)).status).toBe(200);
  });

  it('the id_token of another user for the same client is rejected because its nonce is that of another flow', async () => {
    const fake = third.fakes[provider];
    newUser(fake);
    const victim = await authorizeAtProvider(third.app, fake);
    newUser(fake);
    const own = await authorizeAtProvider(third.app, fake);
    const path = own.path.replace(own.code, victim.code);
    expectFailure(await openCallback({ ...own, path }), 'provider_error');
  });
});

describe.each(REQUESTED)('%s with a failing endpoint: %s', (provider, at) => {
  const hows: [Fault['how'], RegExp][] = [
    ['huge', /too_large/],
    ['redirect', /http_302|no_keys|RESPONSE_IS_NOT_CONFORM/],
    ['broken_json', /broken_json|no_keys|OAUTH_PARSE_ERROR|tenant/],
    ['not_object', /no_subject|no_list|no_keys|OAUTH_INVALID_RESPONSE|tenant/],
    ['reset', /unreachable/],
    ['error', /invalid_grant|bad_verification_code|http_400|no_keys|RESPONSE_IS_NOT_CONFORM/],
    [404, /http_404|no_keys|server_error/],
    [429, /http_429|no_keys|server_error/],
    [500, /http_500|no_keys|server_error|RESPONSE_IS_NOT_CONFORM/],
  ];
  it.each(hows)('%s: provider_error; the log has a cause, but nothing of the response', async (how, cause) => {
    const fake = third.fakes[provider];
    const { email } = newUser(fake);
    const logged = third.app.logs.length;
    // Lets the cached keys expire, so that the sign-in requests them.
    third.app.clock.advance(601);
    const trip = await authorizeAtProvider(third.app, fake);
    const before = fake.requests.length;
    fake.fault = { at, how };
    await expectRefused(third.app, trip, 'provider_error');
    fake.fault = undefined;
    expect(lastWarning()).toMatchObject({ provider, cause: expect.stringMatching(cause) });
    const requests = fake.requests.slice(before);
    expect(requests.filter(({ path }) => path.startsWith('/moved'))).toEqual([]);
    const { form } = requests[0]!;
    const tokens = requests.map(({ headers }) => headers.authorization?.split(' ')[1] ?? '').filter(Boolean);
    const hidden = [trip.code, trip.state, form!.client_secret!, form!.code_verifier!, email!, ...tokens];
    const written = await writtenDown(third.app, logged);
    for (const secret of [...hidden, fake.settings.secret, 'the fake was told to', 'refused '])
      expect(written).not.toContain(secret);
  });

  it('the next sign-in works after a failing endpoint', async () => {
    newUser(third.fakes[provider]);
    expect((await signInWith(third.app, third.fakes[provider])).status).toBe(200);
  });
});

describe('an endpoint that does not respond', () => {
  it('is abandoned after five seconds, for each endpoint of each provider', async () => {
    third.app.clock.advance(601);
    const logged = third.app.logs.length;
    const { result: answers, rows } = await countingRows(third.app, WRITTEN, async () => {
      const waiting: ReturnType<typeof openCallback>[] = [];
      for (const [provider, at] of REQUESTED) {
        const fake = third.fakes[provider];
        newUser(fake);
        const trip = await authorizeAtProvider(third.app, fake);
        const before = fake.requests.length;
        fake.fault = { at, how: 'hang' };
        waiting.push(openCallback(trip));
        const awaited = { token: 1, jwks: 2, userinfo: provider === 'oauth_b' ? 3 : 2, emails: 3 }[at];
        await expect.poll(() => fake.requests.length).toBe(before + awaited);
      }
      return Promise.all(waiting);
    });
    for (const answer of answers) expectFailure(answer, 'provider_error');
    const hung = { users: 0, organizations: 0, identities: 0, sessions: 0 };
    expect(rows).toMatchObject({ ...hung, audit_events: REQUESTED.length, oauth_states: REQUESTED.length });
    const causes = third.app.logs.slice(logged).map(({ cause }) => String(cause));
    expect(causes.filter((cause) => cause.endsWith('failed: timeout'))).toHaveLength(REQUESTED.length);
  });
});

describe('requests to a provider', () => {
  it.each(OAUTH_PROVIDERS)(
    '%s: the code is sent once, by POST, with the verifier, and nowhere else',
    async (provider) => {
      const fake = third.fakes[provider];
      newUser(fake);
      const trip = await authorizeAtProvider(third.app, fake);
      const others = Object.values(third.fakes).filter((other) => other !== fake);
      const counts = others.map(({ requests }) => requests.length);
      const before = fake.requests.length;
      expect((await openCallback(trip)).status).toBe(200);
      const [token, ...rest] = fake.requests.slice(before);
      expect(token).toMatchObject({
        method: 'POST',
        query: {},
        form: {
          grant_type: 'authorization_code',
          code: trip.code,
          redirect_uri: `http://localhost:8080/v1/auth/oauth/${provider}/callback`,
          code_verifier: expect.stringMatching(/^[\w-]{43}$/),
          client_id: `${provider}-client`,
        },
      });
      expect(JSON.stringify(rest)).not.toContain(trip.code);
      expect(token!.headers.cookie).toBeUndefined();
      expect(others.map(({ requests }) => requests.length)).toEqual(counts);
    },
  );
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { type OpenIdProvider, type SignatureFault, startOpenIdProvider } from '../../../test/openid-provider.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { seal } from '../../platform/crypto/seal.ts';
import type { LookUpAll } from '../../platform/outbound/name-lookup.ts';
import { Failed } from '../upstream/failure.ts';
import type { UsableConnection } from './connection.ts';
import { createSsoHttp } from './http.ts';
import { oidc } from './oidc.ts';

const clock = createTestClock();
const configKeyring = createKeyring('a key for tests');
const round = { state: 'a-state', nonce: 'a-nonce', code_verifier: 'v'.repeat(43) };

type Networks = 'allow' | 'refuse';
const depsWith = (PRIVATE_NETWORKS: Networks, more: { lookUp?: LookUpAll; timeoutMs?: number } = {}) => {
  const addresses = { PUBLIC_BASE_URL: 'https://id.example.com', ROUTE_PREFIX: '/v1' };
  const config = { PRIVATE_NETWORKS, ...addresses } as Parameters<typeof oidc.start>[0]['config'];
  return { clock, config, configKeyring, sso: createSsoHttp({ clock, config, ...more }) };
};

let provider: OpenIdProvider;
let fresh: OpenIdProvider;
let deps: ReturnType<typeof depsWith>;
beforeAll(async () => {
  provider = await startOpenIdProvider({ now: clock.now, path: '/tenant' });
  fresh = { ...provider };
});
afterAll(() => provider.close());
beforeEach(() => {
  Object.assign(provider, { ...fresh, claims: {}, metadata: {} });
  provider.requests.length = 0;
  provider.clients.set('client', { secret: 'the secret', redirect_uris: null });
  deps = depsWith('allow');
});

const id = '0198c5b2-7d3f-7c61-9f0e-0a4d7c1b2e3f';
const connection = (changes: Partial<UsableConnection> = {}): UsableConnection => ({
  id,
  kind: 'oidc',
  organization_id: id,
  name: 'Example',
  issuer: provider.issuer,
  client_id: 'client',
  sealed_secret: seal(configKeyring, { purpose: 'sso', row: id }, 'the secret'),
  create_members: false,
  default_role: 'member',
  role_ids: [],
  trust_idp_mfa: false,
  active: true,
  domains: [],
  settings_id: '',
  ...changes,
});

const paths = () => provider.requests.map(({ path }) => path.replace('/tenant', ''));

const start = (used = connection()) => oidc.start(deps, used, round);

/** Reads the response of the provider and sends the requests that identify the user. */
async function identifyAt(callback: string, used = connection()) {
  const query = new URLSearchParams(callback.split('?')[1]);
  const request = oidc.identify(deps, used, round, Object.fromEntries(query));
  if (request instanceof Failed) throw request;
  return request();
}

async function identify(changes: Partial<UsableConnection> = {}) {
  const used = connection(changes);
  return identifyAt(provider.authorize(await start(used)), used);
}

describe('the authorization URL', () => {
  it('has state, nonce, PKCE and the login hint, and no secret', async () => {
    const url = new URL(await oidc.start(deps, connection(), { ...round, login_hint: 'ada@example.com' }));
    expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client',
      redirect_uri: `https://id.example.com/v1/auth/sso/${id}/callback`,
      scope: 'openid email profile',
      state: 'a-state',
      nonce: 'a-nonce',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      login_hint: 'ada@example.com',
    });
  });
});

describe('the claims of a user', () => {
  const ada = { subject: 'subject-1', email: 'ada@example.com', email_verified: true, amr: [], name: 'Ada' };
  const claimsOf = (claims: object) => ({ ...ada, issuer: provider.issuer, ...claims });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)('accepts an ID token signed with %s', async (algorithm) => {
    provider.algorithm = algorithm;
    expect(await identify()).toEqual(claimsOf({}));
  });

  it.each([
    ['basic without metadata', {}, 'the secret'],
    ['basic', { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] }, 'the secret'],
    ['post', { token_endpoint_auth_methods_supported: ['client_secret_post'] }, 'the secret'],
    ['none', {}, null],
  ])('the client authenticates by %s', async (method, metadata, secret) => {
    provider.metadata = metadata;
    provider.clients.get('client')!.secret = secret;
    expect(await identify(secret === null ? { sealed_secret: null } : {})).toEqual(claimsOf({}));
    const { headers, form } = provider.requests.find(({ path }) => path.endsWith('/token'))!;
    expect(headers.authorization !== undefined).toBe(method.startsWith('basic'));
    expect(form?.client_secret).toBe(method === 'post' ? 'the secret' : undefined);
  });

  it.each([
    [{ email_verified: false }, { email_verified: false }],
    [{ email_verified: 'false' }, { email_verified: false }],
    [{ email_verified: 'true' }, { email_verified: true }],
    [{ email_verified: 1 }, { email_verified: false }],
    [{ email_verified: undefined }, { email_verified: true }],
    [{ amr: ['pwd', 'mfa', 7] }, { amr: ['pwd', 'mfa'] }],
    [{ amr: 'mfa' }, { amr: [] }],
    [{ email: 7 }, { email: null, email_verified: false }],
    [{ name: undefined }, { name: null }],
    [{ aud: ['client'] }, {}],
    [{ aud: ['client', 'other'], azp: 'client' }, {}],
    [{ exp: Math.floor(clock.now().getTime() / 1000) - 5 }, {}],
  ])('reads the claims %j as %j', async (claims, read) => {
    provider.claims = claims;
    expect(await identify()).toEqual(claimsOf(read));
  });

  it('takes the email from the user info if the ID token has none, and only then', async () => {
    provider.userinfo = { email: 'other@example.com', email_verified: true, name: 'Other' };
    expect(await identify()).toEqual(claimsOf({}));
    expect(paths()).not.toContain('/userinfo');
    provider.user = { sub: 'subject-2' };
    deps = depsWith('allow');
    expect(await identify()).toEqual(claimsOf({ subject: 'subject-2', email: 'other@example.com', name: 'Other' }));
    provider.claims = { email_verified: false };
    provider.userinfo = { email: 'other@example.com' };
    expect(await identify()).toMatchObject({ email: 'other@example.com', email_verified: false });
  });

  it('reads metadata and keys once, and the keys again after a rotation', async () => {
    await identify();
    await identify();
    const documents = () => paths().filter((path) => path !== '/token');
    expect(documents()).toEqual(['/.well-known/openid-configuration', '/keys']);
    clock.advance(30);
    provider.rotateKeys();
    await identify();
    expect(documents()).toEqual(['/.well-known/openid-configuration', '/keys', '/keys']);
    provider.signature = 'unknown_kid';
    await expect(identify()).rejects.toMatchObject({ reason: 'signature' });
    await expect(identify()).rejects.toMatchObject({ reason: 'signature' });
    expect(documents()).toHaveLength(3);
    clock.advance(601);
    provider.signature = undefined;
    await identify();
    expect(documents()).toHaveLength(5);
  });
});

describe('responses that are rejected', () => {
  it('rejects the response of another issuer, an error, and one without a code, without a request', () => {
    const read = (response: object) => oidc.identify(deps, connection(), round, { ...response });
    expect(read({ code: 'code', iss: 'https://evil.example' })).toMatchObject({ failure: 'invalid_state' });
    expect(read({ error: 'access_denied' })).toMatchObject({ failure: 'access_denied' });
    expect(read({ error: 'server_error' })).toMatchObject({ failure: 'provider_error', reason: 'server_error' });
    for (const code of [undefined, '', ['code', 'code'], 'x'.repeat(4097)])
      expect(read({ code })).toMatchObject({ failure: 'provider_error', reason: 'no_code' });
    expect(provider.requests).toEqual([]);
  });

  it.each<[string, Partial<OpenIdProvider>, string]>([
    ['another issuer in the ID token', { claims: { iss: 'https://evil.example' } }, 'issuer_mismatch'],
    ['the issuer with a slash', { claims: { iss: 'http://127.0.0.1/tenant/' } }, 'issuer_mismatch'],
    ['another issuer in the metadata', { metadata: { issuer: 'https://evil.example' } }, 'issuer_mismatch'],
    [
      'no issuer at the callback although it is announced',
      { metadata: { authorization_response_iss_parameter_supported: true } },
      'issuer_mismatch',
    ],
    ['another nonce', { claims: { nonce: 'another' } }, 'nonce'],
    ['no nonce', { claims: { nonce: undefined } }, 'token'],
    ['another audience', { claims: { aud: 'other' } }, 'audience'],
    ['two audiences without azp', { claims: { aud: ['client', 'other'] } }, 'audience'],
    ['another authorized party', { claims: { azp: 'other' } }, 'audience'],
    ['an expired ID token', { claims: { exp: 1_000_000_000 } }, 'time'],
    ['an ID token of tomorrow', { claims: { nbf: 4_000_000_000 } }, 'time'],
    ['no subject', { claims: { sub: undefined } }, 'token'],
    ['a subject of 300 characters', { claims: { sub: 'x'.repeat(300) } }, 'subject'],
    ['a subject with a line break', { claims: { sub: 'a\nb' } }, 'subject'],
    ['user info about another user', { user: { sub: '1' }, userinfo: { sub: '2', email: 'a@b.example' } }, 'userinfo'],
    ['no endpoints', { metadata: { token_endpoint: undefined } }, 'endpoints'],
    ['an endpoint that is a script', { metadata: { authorization_endpoint: 'javascript:alert(1)' } }, 'endpoints'],
    ['an endpoint with a password', { metadata: { jwks_uri: 'http://a:b@127.0.0.1/keys' } }, 'endpoints'],
    ['HS256 only', { metadata: { id_token_signing_alg_values_supported: ['HS256'] } }, 'algorithm'],
    [
      'no supported client authentication method',
      { metadata: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } },
      'client_method',
    ],
    ['metadata that are missing', { fault: { at: 'metadata', how: { status: 404, body: {} } } }, 'metadata'],
    ['metadata that are a list', { fault: { at: 'metadata', how: { status: 200, body: [] } } }, 'metadata'],
    ['metadata that are broken', { fault: { at: 'metadata', how: 'broken_json' } }, 'metadata'],
    ['a redirect of the metadata', { fault: { at: 'metadata', how: 'redirect' } }, 'redirected'],
    ['a redirect of the keys', { fault: { at: 'keys', how: 'redirect' } }, 'redirected'],
    ['a redirect of the token endpoint', { fault: { at: 'token', how: 'redirect' } }, 'redirected'],
    ['metadata of 100 MB', { fault: { at: 'metadata', how: 'huge' } }, 'too_large'],
    ['endless keys', { fault: { at: 'keys', how: 'endless' } }, 'too_large'],
    ['an endless token response', { fault: { at: 'token', how: 'endless' } }, 'too_large'],
    ['a key set without a list of keys', { fault: { at: 'keys', how: { status: 200, body: { keys: 7 } } } }, 'keys'],
    ['keys that are missing', { fault: { at: 'keys', how: { status: 500, body: '' } } }, 'keys'],
    [
      'a symmetric key',
      { fault: { at: 'keys', how: { status: 200, body: { keys: [{ kty: 'oct', k: 'a' }] } } } },
      'signature',
    ],
    ['a token response without tokens', { fault: { at: 'token', how: { status: 200, body: {} } } }, 'token'],
    ['an error of the token endpoint', { fault: { at: 'token', how: { status: 500, body: 'the secret' } } }, 'token'],
    ['a provider that is down', { down: true }, 'unreachable'],
  ])('rejects a sign-in with %s', async (_what, changes, cause) => {
    const callback = provider.authorize(await start());
    Object.assign(provider, changes);
    // New deps, because the cached metadata were read before the provider changed.
    deps = depsWith('allow');
    const answer = identifyAt(changes.user ? provider.authorize(await start()) : callback);
    await expect(answer).rejects.toMatchObject({ failure: 'provider_error', reason: cause });
    await expect(answer).rejects.not.toThrow(/the secret|code-|access-/);
  });

  it.each<[SignatureFault, string]>([
    ['none', 'algorithm'],
    ['hs256_key', 'algorithm'],
    ['hs256_secret', 'algorithm'],
    ['foreign_key', 'signature'],
    ['own_key', 'signature'],
    ['unknown_kid', 'signature'],
    ['empty', 'signature'],
  ])('rejects an ID token with the signature fault %s', async (signature, cause) => {
    provider.signature = signature;
    await expect(identify()).rejects.toMatchObject({ reason: cause });
  });

  it('rejects with client if the provider does not accept the client, and with secret if it cannot be unsealed', async () => {
    provider.clients.get('client')!.secret = 'another secret';
    await expect(identify()).rejects.toMatchObject({ reason: 'client' });
    const sealed_secret = seal(createKeyring('another key'), { purpose: 'sso', row: id }, 'the secret');
    await expect(identify({ sealed_secret })).rejects.toMatchObject({ reason: 'secret' });
  });

  it('rejects a code that was used before', async () => {
    const callback = provider.authorize(await start());
    await identifyAt(callback);
    await expect(identifyAt(callback)).rejects.toMatchObject({ reason: 'code' });
  });

  it('rejects with timeout if the provider does not respond, and sends the next request only after a few seconds', async () => {
    deps = depsWith('allow', { timeoutMs: 50 });
    provider.fault = { at: 'metadata', how: 'hang' };
    const ask = () => start();
    await expect(Promise.all([ask(), ask()])).rejects.toMatchObject({ cause: 'timeout' });
    provider.fault = undefined;
    await expect(ask()).rejects.toMatchObject({ cause: 'timeout' });
    expect(provider.requests).toHaveLength(1);
    clock.advance(6);
    await expect(ask()).resolves.toMatch(/^http/);
  });
});

describe('addresses that are not public', () => {
  const issuerAt = (host: string) => `https://${host}:${new URL(provider.url).port}/tenant`;
  const resolving =
    (...answers: string[]): LookUpAll =>
    (_host, _options, callback) =>
      callback(null, [{ address: answers.length > 1 ? answers.shift()! : answers[0]!, family: 4 }]);

  it.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '2130706433',
    '10.0.0.1',
    '169.254.169.254',
  ])('no connection is made to the issuer %s', async (host) => {
    const used = connection({ issuer: issuerAt(host) });
    const answer = oidc.start(depsWith('refuse'), used, round);
    await expect(answer).rejects.toMatchObject({ cause: 'not_public' });
    expect(provider.requests).toEqual([]);
  });

  it('no connection is made to a name that resolves to a private address, whichever address each look-up returns', async () => {
    const refusing = depsWith('refuse', { lookUp: resolving('10.0.0.1', '127.0.0.1', '192.168.0.1') });
    const used = connection({ issuer: issuerAt('rebinding.example') });
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(oidc.start(refusing, used, round)).rejects.toMatchObject({ cause: 'not_public' });
      clock.advance(6);
    }
    expect(provider.requests).toEqual([]);
  });

  it('plain http is rejected before any connection', async () => {
    await expect(oidc.start(depsWith('refuse'), connection(), round)).rejects.toMatchObject({
      cause: 'insecure',
    });
    expect(provider.requests).toEqual([]);
  });

  it('no connection is made to a private address in the metadata', async () => {
    const { sso } = depsWith('refuse');
    const url = issuerAt('127.0.0.1');
    await expect(sso.send(`${url}/token`, { method: 'POST', headers: {} })).rejects.toMatchObject({
      cause: 'not_public',
    });
    await expect(sso.document(`${url}/keys`)).rejects.toMatchObject({ cause: 'not_public' });
    expect(provider.requests).toEqual([]);
  });
});

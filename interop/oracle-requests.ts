import type { Authorization, Params } from './oracle-agent.ts';

/** A known difference: our response, and why it is not that of oidc-provider. */
type Difference = readonly [unknown, string];

interface AuthorizationCase {
  readonly name: string;
  readonly params: Params;
  readonly differs?: Difference;
}

const reported = (error: string) => [error, 'the state', true, '?'];

/** Authorization requests that are sent without a session. */
export const AUTHORIZATION: readonly AuthorizationCase[] = [
  { name: 'valid', params: {} },
  { name: 'without a client', params: { client_id: undefined } },
  { name: 'with an unknown client', params: { client_id: 'unknown' } },
  {
    name: 'without a redirect URI',
    params: { redirect_uri: undefined },
    differs: [400, 'Gatehouse requires it; oidc-provider takes the only registered one'],
  },
  { name: 'with another redirect URI', params: { redirect_uri: 'https://evil.example/' } },
  { name: 'with a slash after the redirect URI', params: { redirect_uri: 'https://wiki.example.com/callback/' } },
  { name: 'without response_type', params: { response_type: undefined } },
  {
    name: 'for the implicit flow',
    params: { response_type: 'token' },
    differs: [reported('unsupported_response_type'), 'Gatehouse answers only in the query, also errors'],
  },
  {
    name: 'for the hybrid flow',
    params: { response_type: 'code id_token' },
    differs: [reported('unsupported_response_type'), 'Gatehouse answers only in the query, also errors'],
  },
  { name: 'without PKCE', params: { code_challenge: undefined, code_challenge_method: undefined } },
  { name: 'with PKCE plain', params: { code_challenge_method: 'plain' } },
  { name: 'with a short challenge', params: { code_challenge: 'x' } },
  { name: 'with prompt=none', params: { prompt: 'none' } },
  { name: 'with prompt=none login', params: { prompt: 'none login' } },
  { name: 'with an unknown prompt', params: { prompt: 'always' } },
  { name: 'with a max_age below 0', params: { max_age: '-1' } },
  { name: 'with a request object', params: { request: 'e30.e30.' } },
  { name: 'with a registration', params: { registration: '{}' } },
  { name: 'for a resource that is not listed', params: { resource: 'https://evil.example/' } },
  { name: 'with two scopes parameters', params: { scope: ['openid', 'email'] } },
  {
    name: 'for a scope that is not listed',
    params: { scope: 'openid notes.approve' },
    differs: [reported('invalid_scope'), 'Gatehouse reports unlisted scopes, oidc-provider ignores them'],
  },
  {
    name: 'for a response in the fragment',
    params: { response_mode: 'fragment' },
    differs: [reported('invalid_request'), 'Gatehouse allows response_mode=query alone'],
  },
];

interface TokenCase {
  readonly name: string;
  readonly form: Params;
  readonly authorization?: Authorization;
  readonly differs?: Difference;
}

const CODE = {
  grant_type: 'authorization_code',
  code: 'unknown',
  redirect_uri: 'https://wiki.example.com/callback',
  code_verifier: 'x'.repeat(43),
};

export const TOKEN: readonly TokenCase[] = [
  { name: 'without grant_type', form: {} },
  { name: 'with an unknown grant_type', form: { grant_type: 'password' } },
  {
    name: 'with client_credentials',
    form: { grant_type: 'client_credentials' },
    differs: [
      [400, 'unauthorized_client'],
      'RFC 6749, section 5.2, has a code for a grant that the client may not use',
    ],
  },
  { name: 'with an unknown code', form: CODE },
  { name: 'without a code', form: { ...CODE, code: undefined } },
  { name: 'with a wrong secret', form: CODE, authorization: 'wrong' },
  { name: 'with an unknown refresh token', form: { grant_type: 'refresh_token', refresh_token: 'unknown' } },
  { name: 'without a refresh token', form: { grant_type: 'refresh_token' } },
  { name: 'with a parameter twice', form: { ...CODE, code: ['a', 'b'] } },
  {
    name: 'without a client',
    form: CODE,
    authorization: 'none',
    differs: [[401, 'invalid_client'], 'RFC 6749, section 5.2: no client authentication is invalid_client'],
  },
];

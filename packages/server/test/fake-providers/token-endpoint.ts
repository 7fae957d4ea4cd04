import { createHash, randomBytes } from 'node:crypto';
import { issuerOf } from './brands.ts';
import { clientProblem } from './client-authentication.ts';
import { mintIdToken } from './id-token.ts';
import { type Answer, quote, type ReceivedRequest } from './messages.ts';
import type { Grant, ProviderState } from './types.ts';

type TokenError = 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';

const GITHUB_WORDS: Partial<Record<TokenError, string>> = {
  invalid_client: 'incorrect_client_credentials',
  invalid_grant: 'bad_verification_code',
};

/** GitHub answers form-encoded to who does not ask for JSON. */
function inGithubsForm({ headers }: ReceivedRequest, body: Record<string, string>): Answer {
  if (headers.accept?.includes('application/json')) return { status: 200, body };
  const formType = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  return { status: 200, headers: formType, body: new URLSearchParams(body).toString() };
}

export function refuseToken({ fake }: ProviderState, request: ReceivedRequest, error: TokenError, why: string): Answer {
  const error_description = `${quote(request)}: ${why}`;
  if (fake.provider === 'oauth_b') {
    return inGithubsForm(request, { error: GITHUB_WORDS[error] ?? error, error_description });
  }
  if (fake.provider === 'oauth_e') {
    const code = error === 'invalid_client' ? 1 : 100;
    return { status: 400, body: { error: { message: error_description, type: 'OAuthException', code } } };
  }
  const status = error === 'invalid_client' && fake.provider !== 'oauth_d' ? 401 : 400;
  return { status, body: { error, error_description } };
}

function grantProblem(grant: Grant | undefined, form: Record<string, string>): string | undefined {
  if (!grant) return 'the code is unknown or spent';
  if (form.redirect_uri !== grant.redirect_uri) return 'the redirect_uri is another';
  const verifier = form.code_verifier ?? '';
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return 'the code_verifier is missing or malformed';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return challenge === grant.code_challenge ? undefined : 'the code_verifier does not match';
}

/** A code is spent by the first client that proves who it is, whatever comes of it. */
export function exchange(state: ProviderState, request: ReceivedRequest): Answer {
  const { form, method, query } = request;
  const refuse = (error: TokenError, why: string) => refuseToken(state, request, error, why);
  if (method !== 'POST' || !form) return refuse('invalid_request', 'this takes a form by POST');
  if (Object.keys(query).length > 0) return refuse('invalid_request', 'secrets do not belong into a URL');
  const client = clientProblem(state, request);
  if (client) return refuse('invalid_client', client);
  if (form.grant_type !== 'authorization_code') return refuse('unsupported_grant_type', 'the grant_type is another');

  const code = form.code ?? '';
  const grant = state.codes.get(code);
  state.codes.delete(code);
  const problem = grantProblem(grant, form);
  if (problem) return refuse('invalid_grant', problem);
  return tokensFor(state, request, grant!);
}

function tokensFor(state: ProviderState, request: ReceivedRequest, grant: Grant): Answer {
  const access_token = `access-${randomBytes(16).toString('hex')}`;
  state.access_tokens.set(access_token, grant);
  if (state.fake.provider === 'oauth_b') {
    const scope = grant.scope.split(/[ ,]/).join(',');
    return inGithubsForm(request, { access_token, scope, token_type: 'bearer' });
  }
  if (!state.brand.oidc) return { status: 200, body: { access_token, token_type: 'bearer', expires_in: 5_183_944 } };
  const id_token = mintIdToken(state, grant);
  const body = { access_token, token_type: 'Bearer', expires_in: 3599, scope: grant.scope, id_token };
  return { status: 200, headers: { 'cache-control': 'no-store' }, body };
}

export function publishKeys({ fake, keys }: ProviderState): Answer {
  const { publicKey, kid } = keys.current();
  const { kty, n, e } = publicKey.export({ format: 'jwk' });
  // Microsoft leaves `alg` out, and says whose tokens the key may sign.
  const extra = fake.provider === 'oauth_c' ? { issuer: issuerOf(fake.provider, fake.url) } : { alg: 'RS256' };
  return { status: 200, body: { keys: [{ kty, use: 'sig', kid, n, e, ...extra }] } };
}

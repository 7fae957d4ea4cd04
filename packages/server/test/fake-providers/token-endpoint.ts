import { createHash, randomBytes } from 'node:crypto';
import { issuerOf } from './brands.ts';
import { clientProblem } from './client-authentication.ts';
import { mintIdToken } from './id-token.ts';
import { type Answer, quote, type ReceivedRequest } from './messages.ts';
import type { Grant, ProviderState, TokenError } from './types.ts';

export function tokenError({ brand }: ProviderState, request: ReceivedRequest, error: TokenError, why: string): Answer {
  const error_description = `${quote(request)}: ${why}`;
  if (brand.errorResponse) return brand.errorResponse(request, error, error_description);
  const status = error === 'invalid_client' && !brand.secretProblem ? 401 : 400;
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

/** The first authenticated request consumes the code, even if the exchange fails. */
export function exchange(state: ProviderState, request: ReceivedRequest): Answer {
  const { form, method, query } = request;
  const fail = (error: TokenError, why: string) => tokenError(state, request, error, why);
  if (method !== 'POST' || !form) return fail('invalid_request', 'this takes a form by POST');
  if (Object.keys(query).length > 0) return fail('invalid_request', 'secrets do not belong into a URL');
  const client = clientProblem(state, request);
  if (client) return fail('invalid_client', client);
  if (form.grant_type !== 'authorization_code') return fail('unsupported_grant_type', 'the grant_type is another');

  const code = form.code ?? '';
  const grant = state.codes.get(code);
  state.codes.delete(code);
  const problem = grantProblem(grant, form);
  if (problem) return fail('invalid_grant', problem);
  return tokensFor(state, request, grant!);
}

function tokensFor(state: ProviderState, request: ReceivedRequest, grant: Grant): Answer {
  const access_token = `access-${randomBytes(16).toString('hex')}`;
  state.access_tokens.set(access_token, grant);
  if (state.brand.tokens) return state.brand.tokens(request, access_token, grant);
  if (!state.brand.oidc) return { status: 200, body: { access_token, token_type: 'bearer', expires_in: 5_183_944 } };
  const id_token = mintIdToken(state, grant);
  const body = { access_token, token_type: 'Bearer', expires_in: 3599, scope: grant.scope, id_token };
  return { status: 200, headers: { 'cache-control': 'no-store' }, body };
}

export function publishKeys({ brand, fake, keys }: ProviderState): Answer {
  const { publicKey, kid } = keys.current();
  const { kty, n, e } = publicKey.export({ format: 'jwk' });
  // The keys of Microsoft have no `alg`, but the issuer that they are for.
  const extra = brand.tenants ? { issuer: issuerOf(brand, fake.url) } : { alg: 'RS256' };
  return { status: 200, body: { keys: [{ kty, use: 'sig', kid, n, e, ...extra }] } };
}

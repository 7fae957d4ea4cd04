import { createHash } from 'node:crypto';
import { seconds, systemClock } from '../../platform/clock.ts';
import { unseal } from '../../platform/crypto/seal.ts';
import type { Deps } from '../context.ts';
import { nameOf, subjectFrom } from '../kernel/claims.ts';
import type { UsableConnection } from './connection.ts';
import { type ProviderMetadata, readMetadata, texts } from './metadata.ts';
import { type SsoCause, SsoProviderError } from './provider-error.ts';
import { verifySignature } from './signature.ts';

type ProviderDeps = Pick<Deps, 'sso' | 'config' | 'clock' | 'configKeyring'>;

interface AuthorizationRequest {
  readonly state: string;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
  readonly login_hint?: string | undefined;
}

/** Returns the URL to which the browser is sent. Throws an `SsoProviderError` if the metadata cannot be read. */
export async function authorizationUrlAt(
  deps: ProviderDeps,
  { issuer, client_id }: UsableConnection,
  { state, nonce, code_verifier, redirect_uri, login_hint }: AuthorizationRequest,
): Promise<string> {
  const { authorization_endpoint } = await readMetadata(deps, issuer);
  const url = new URL(authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(login_hint !== undefined && { login_hint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

interface AuthorizationResponse {
  readonly code: string;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
  /** The parameter of RFC 9207, if the provider has sent it. */
  readonly iss?: string | undefined;
}

export interface SsoClaims {
  readonly sub: string;
  /** The email as the provider sent it, not normalized. */
  readonly email: string | null;
  /** Null: the provider sent no such claim. */
  readonly email_verified: boolean | null;
  readonly amr: readonly string[];
  readonly name: string | null;
}

/** Returns the verified claims; the email from the user info if the ID token has none. Throws an `SsoProviderError`. */
export async function identifyAt(
  deps: ProviderDeps,
  connection: UsableConnection,
  response: AuthorizationResponse,
): Promise<SsoClaims> {
  const metadata = await readMetadata(deps, connection.issuer);
  const { iss } = response;
  if (iss === undefined ? metadata.sends_iss : iss !== connection.issuer) throw new SsoProviderError('issuer_mismatch');
  const { claims, id_token, access_token } = await exchange(deps, connection, metadata, response);
  await verifySignature(deps, metadata, id_token);
  const sub = subjectFrom(claims.sub);
  if (sub === undefined || typeof claims.sub !== 'string') throw new SsoProviderError('subject');
  const { userinfo_endpoint } = metadata;
  const profile =
    claims.email === undefined && userinfo_endpoint !== undefined
      ? await fetchUserinfo(deps, userinfo_endpoint, { access_token, sub })
      : claims;
  return {
    sub,
    email: typeof profile.email === 'string' ? profile.email : null,
    email_verified: readVerified(profile.email_verified ?? claims.email_verified),
    amr: texts(claims.amr),
    name: nameOf(claims.name) ?? nameOf(profile.name),
  };
}

/** Some providers send the claim as a string. A value that is neither true nor false counts as false. */
function readVerified(value: unknown): boolean | null {
  if (value === undefined || value === null) return null;
  return value === true || value === 'true';
}

interface Tokens {
  readonly id_token: string;
  readonly access_token: string;
  /** Issuer, audience, nonce and times are verified; the signature is not verified yet. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Exchanges the code for tokens. The library is loaded on first use. */
async function exchange(
  deps: ProviderDeps,
  connection: UsableConnection,
  metadata: ProviderMetadata,
  { code, nonce, code_verifier, redirect_uri }: AuthorizationResponse,
): Promise<Tokens> {
  const oauth = await import('oauth4webapi');
  const { client_id, issuer } = connection;
  const client = { client_id, [oauth.clockSkew]: seconds(deps.clock.now()) - seconds(systemClock.now()) };
  if (metadata.algorithms.length === 0) throw new SsoProviderError('algorithm');
  const server = {
    issuer,
    token_endpoint: metadata.token_endpoint,
    id_token_signing_alg_values_supported: [...metadata.algorithms],
  };
  const authentication = await clientAuthentication(deps, connection, metadata);
  try {
    const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.skipStateCheck);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirect_uri,
      code_verifier,
      { [oauth.customFetch]: deps.sso.send, [oauth.allowInsecureRequests]: deps.config.PRIVATE_NETWORKS === 'allow' },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    const claims: Tokens['claims'] = oauth.getValidatedIdTokenClaims(tokens) ?? {};
    // The library checks `azp` only if there are several audiences. The token must have been issued to this client.
    if (claims.azp !== undefined && claims.azp !== client_id) throw new SsoProviderError('audience');
    return { id_token: tokens.id_token!, access_token: tokens.access_token, claims };
  } catch (error) {
    throw new SsoProviderError(exchangeCause(error));
  }
}

async function clientAuthentication(
  { configKeyring }: ProviderDeps,
  { id, sealed_secret }: UsableConnection,
  { client_methods = ['client_secret_basic'] }: ProviderMetadata,
) {
  const oauth = await import('oauth4webapi');
  if (sealed_secret === null) return oauth.None();
  const secret = configKeyring && unseal(configKeyring, { purpose: 'sso', row: id }, sealed_secret)?.toString('utf8');
  if (secret === undefined) throw new SsoProviderError('secret');
  if (client_methods.includes('client_secret_basic')) return oauth.ClientSecretBasic(secret);
  if (client_methods.includes('client_secret_post')) return oauth.ClientSecretPost(secret);
  throw new SsoProviderError('client_method');
}

const TOKEN_ERRORS: Readonly<Record<string, SsoCause>> = {
  invalid_client: 'client',
  unauthorized_client: 'client',
  invalid_grant: 'code',
  invalid_scope: 'scope',
  invalid_redirect_uri: 'redirect_uri',
  redirect_uri_mismatch: 'redirect_uri',
};

/** The cause for each claim that the library names in the `cause` of its error. */
const CLAIMS: Readonly<Record<string, SsoCause>> = {
  iss: 'issuer_mismatch',
  aud: 'audience',
  azp: 'audience',
  nonce: 'nonce',
  exp: 'time',
  nbf: 'time',
  iat: 'time',
};

function exchangeCause(error: unknown): SsoCause {
  if (error instanceof SsoProviderError) return error.cause;
  const { error: word, cause } = error as { error?: unknown; cause?: { claim?: unknown; header?: unknown } };
  if (cause?.header !== undefined) return 'algorithm';
  return TOKEN_ERRORS[String(word)] ?? CLAIMS[String(cause?.claim)] ?? 'token';
}

async function fetchUserinfo(
  { sso }: ProviderDeps,
  url: string,
  { access_token, sub }: { access_token: string; sub: string },
): Promise<Readonly<Record<string, unknown>>> {
  const response = await sso.send(url, { method: 'GET', headers: { authorization: `Bearer ${access_token}` } });
  const found = (await response.json().catch(() => null)) as Readonly<Record<string, unknown>> | null;
  if (response.status !== 200 || found?.sub !== sub) throw new SsoProviderError('userinfo');
  return found;
}

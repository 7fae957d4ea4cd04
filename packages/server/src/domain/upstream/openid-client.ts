import { createHash } from 'node:crypto';
import type { ClientAuth, CustomFetchOptions } from 'oauth4webapi';
import { seconds, systemClock } from '../../platform/clock.ts';
import type { Deps } from '../context.ts';
import { ProviderFailure } from '../provider-settings/external-identity.ts';
import type { AuthorizationRequest, ResponseParameters } from './adapter.ts';
import { Failed, refusedBy } from './failure.ts';

interface ClientRequest extends Omit<AuthorizationRequest, 'nonce'> {
  readonly client_id: string;
  readonly redirect_uri: string;
  /** The scope and other fixed parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Undefined: OAuth 2.0 without an ID token. */
  readonly nonce: string | undefined;
}

/** The provider's authorization URL: always with state and PKCE S256, and with a nonce for OpenID Connect. */
export function authorizationUrl(endpoint: string, request: ClientRequest): string {
  const { client_id, redirect_uri, parameters, state, nonce, code_verifier, login_hint } = request;
  const url = new URL(endpoint);
  const sent = {
    response_type: 'code',
    client_id,
    redirect_uri,
    ...parameters,
    state,
    ...(nonce !== undefined && { nonce }),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(login_hint !== undefined && { login_hint }),
  };
  for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
  return url.href;
}

const MAX_CODE_CHARS = 4096;

/** Returns the code of an authorization response. RFC 9207: `iss`, if sent, must be `issuer`, if that is known. */
export function readCode({ code, error, iss }: ResponseParameters, issuer: string | undefined): string | Failed {
  if (issuer !== undefined && iss !== undefined && iss !== issuer) return new Failed('invalid_state');
  if (error !== undefined) return refusedBy(error);
  if (typeof code === 'string' && code !== '' && code.length <= MAX_CODE_CHARS) return code;
  return new Failed('provider_error', {}, { cause: 'no_code' });
}

interface CodeExchange {
  readonly issuer: string;
  readonly token_endpoint: string;
  /** Signature algorithms of ID tokens; undefined: RS256. */
  readonly algorithms?: readonly string[] | undefined;
  readonly client_id: string;
  /** Null: a public client. */
  readonly secret: string | null;
  readonly method: 'client_secret_basic' | 'client_secret_post';
  readonly redirect_uri: string;
  readonly code: string;
  readonly code_verifier: string;
  /** Expected in the ID token. Undefined: OAuth 2.0 without an ID token. */
  readonly nonce: string | undefined;
  /** Returns the issuer to expect in the ID token of this response, if it is not `issuer`. */
  readonly issuerOf?: ((response: Response) => Promise<string>) | undefined;
  readonly send: (url: string, options: CustomFetchOptions<'POST', URLSearchParams>) => Promise<Response>;
  /** Whether the token endpoint may be a plain http address. */
  readonly allow_http: boolean;
}

export interface Tokens {
  readonly access_token: string;
  /** OpenID Connect only. Issuer, audience, nonce and times are verified; the signature is not verified yet. */
  readonly id_token: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly issuer: string;
}

/** Exchanges the code and the PKCE verifier for tokens. The library is loaded on first use. */
export async function exchangeCode({ clock }: Pick<Deps, 'clock'>, exchange: CodeExchange): Promise<Tokens> {
  const oauth = await import('oauth4webapi');
  const { issuer, token_endpoint, algorithms, client_id, code, code_verifier, redirect_uri, nonce } = exchange;
  const client = { client_id, [oauth.clockSkew]: seconds(clock.now()) - seconds(systemClock.now()) };
  const server = {
    issuer,
    token_endpoint,
    ...(algorithms && { id_token_signing_alg_values_supported: [...algorithms] }),
  };
  const callback = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.skipStateCheck);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticationBy(oauth, exchange),
    callback,
    redirect_uri,
    code_verifier,
    { [oauth.customFetch]: exchange.send, [oauth.allowInsecureRequests]: exchange.allow_http },
  );
  if (nonce === undefined) {
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    return { access_token, id_token: undefined, claims: {}, issuer };
  }
  // An error response has no id_token; the library throws its error below.
  const expected = (response.status === 200 && (await exchange.issuerOf?.(response))) || issuer;
  const tokens = await oauth.processAuthorizationCodeResponse({ ...server, issuer: expected }, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  const claims: Tokens['claims'] = oauth.getValidatedIdTokenClaims(tokens) ?? {};
  // The library checks `azp` only if there are several audiences. The token must have been issued to this client.
  if (claims.azp !== undefined && claims.azp !== client_id) throw new ProviderFailure('party');
  return { access_token: tokens.access_token, id_token: tokens.id_token, claims, issuer: expected };
}

function authenticationBy(
  oauth: typeof import('oauth4webapi'),
  { secret, method }: Pick<CodeExchange, 'secret' | 'method'>,
): ClientAuth {
  if (secret === null) return oauth.None();
  return method === 'client_secret_basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}

import type { FlowSecrets } from '../../platform/crypto/browser-state.ts';
import { unseal } from '../../platform/crypto/seal.ts';
import type { Deps } from '../context.ts';
import { addressOf, type Claims, nameOf, subjectFrom } from '../kernel/claims.ts';
import { ProviderFailure } from '../provider-settings/external-identity.ts';
import type { Adapter } from '../upstream/adapter.ts';
import { Failed } from '../upstream/failure.ts';
import { authorizationUrl, exchangeCode, readCode, type Tokens } from '../upstream/openid-client.ts';
import { ssoCallbackUrl } from './callback-url.ts';
import type { UsableConnection } from './connection.ts';
import { type ProviderMetadata, readMetadata, texts } from './metadata.ts';
import { type SsoCause, SsoProviderError } from './provider-error.ts';
import { verifySignature } from './signature.ts';

type ProviderDeps = Pick<Deps, 'sso' | 'config' | 'clock' | 'configKeyring'>;

/** OpenID Connect with the metadata of the issuer. */
export const oidc: Adapter<UsableConnection, ProviderDeps> = {
  /** Throws an `SsoProviderError` if the metadata cannot be read. */
  async start(deps, { id, issuer, client_id }, request) {
    const { authorization_endpoint } = await readMetadata(deps, issuer);
    return authorizationUrl(authorization_endpoint, {
      ...request,
      client_id,
      redirect_uri: ssoCallbackUrl(deps.config, id),
      parameters: { scope: 'openid email profile' },
    });
  },
  identify(deps, connection, secrets, response) {
    const code = readCode(response, connection.issuer);
    if (code instanceof Failed) return code;
    return () =>
      claimsFrom(deps, connection, secrets, { code, iss: response.iss }).catch((error: unknown) => {
        if (!(error instanceof SsoProviderError)) throw error;
        throw new Failed('provider_error', {}, { cause: error.cause });
      });
  },
};

interface AuthorizationResponse {
  readonly code: string;
  /** The parameter of RFC 9207, if the provider has sent it. */
  readonly iss: unknown;
}

/** Returns the verified claims; the email from the user info if the ID token has none. */
async function claimsFrom(
  deps: ProviderDeps,
  connection: UsableConnection,
  secrets: FlowSecrets,
  { code, iss }: AuthorizationResponse,
): Promise<Claims> {
  const metadata = await readMetadata(deps, connection.issuer);
  if (iss === undefined && metadata.sends_iss) throw new SsoProviderError('issuer_mismatch');
  const { claims, id_token, access_token, issuer } = await exchange(deps, connection, metadata, { ...secrets, code });
  await verifySignature(deps, metadata, id_token!);
  const subject = subjectFrom(claims.sub);
  if (subject === undefined || typeof claims.sub !== 'string') throw new SsoProviderError('subject');
  const { userinfo_endpoint } = metadata;
  const profile =
    claims.email === undefined && userinfo_endpoint !== undefined
      ? await fetchUserinfo(deps, userinfo_endpoint, { access_token, sub: subject })
      : claims;
  return {
    issuer,
    subject,
    ...addressOf(profile.email, isVerified(profile.email_verified ?? claims.email_verified)),
    amr: texts(claims.amr),
    name: nameOf(claims.name) ?? nameOf(profile.name),
  };
}

/**
 * An email without the claim counts as verified, because its domain belongs to the organization. Some providers send
 * the claim as a string. A value that is neither true nor false counts as false.
 */
const isVerified = (value: unknown = null): boolean => value === null || value === true || value === 'true';

async function exchange(
  deps: ProviderDeps,
  connection: UsableConnection,
  metadata: ProviderMetadata,
  request: FlowSecrets & { readonly code: string },
): Promise<Tokens> {
  const { id, client_id, issuer } = connection;
  const { token_endpoint, algorithms } = metadata;
  if (algorithms.length === 0) throw new SsoProviderError('algorithm');
  try {
    return await exchangeCode(deps, {
      ...request,
      issuer,
      token_endpoint,
      algorithms,
      client_id,
      ...clientAuthentication(deps, connection, metadata),
      redirect_uri: ssoCallbackUrl(deps.config, id),
      send: deps.sso.send,
      allow_http: deps.config.PRIVATE_NETWORKS === 'allow',
    });
  } catch (error) {
    throw new SsoProviderError(exchangeCause(error));
  }
}

function clientAuthentication(
  { configKeyring }: ProviderDeps,
  { id, sealed_secret }: UsableConnection,
  { client_methods = ['client_secret_basic'] }: ProviderMetadata,
) {
  const open = (sealed: string) =>
    configKeyring && unseal(configKeyring, { purpose: 'sso', row: id }, sealed)?.toString('utf8');
  const secret = sealed_secret === null ? null : open(sealed_secret);
  if (secret === undefined) throw new SsoProviderError('secret');
  const method = METHODS.find((name) => secret === null || client_methods.includes(name));
  if (method === undefined) throw new SsoProviderError('client_method');
  return { secret, method };
}

/** Preferred first. */
const METHODS = ['client_secret_basic', 'client_secret_post'] as const;

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
  if (error instanceof ProviderFailure) return 'audience';
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

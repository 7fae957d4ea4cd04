import type { OAuthProvider } from '@gatehouse/contract';
import { OutboundError, outboundFetch } from '../../platform/outbound.ts';
import type { Deps } from '../context.ts';
import { addressOf, type Claims, nameOf } from '../kernel/claims.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { callbackUrl } from '../provider-settings/callback-url.ts';
import { isOpenId, type OAuthProviderDefinition, type Profile } from '../provider-settings/definition.ts';
import { endpointsOf } from '../provider-settings/endpoints.ts';
import { ProviderFailure, subjectOf } from '../provider-settings/external-identity.ts';
import type { KeySets, PublicJwk } from '../provider-settings/key-sets.ts';
import { definitionOf } from '../provider-settings/list.ts';
import type { ProviderSettings } from '../provider-settings/resolve.ts';
import type { Adapter } from './adapter.ts';
import { Failed, knownError } from './failure.ts';
import { authorizationUrl, exchangeCode, readCode, type Tokens } from './openid-client.ts';

/** A social provider; without settings it is disabled or degraded. */
interface SocialConnection {
  readonly provider: OAuthProvider;
  readonly settings: ProviderSettings | undefined;
}

export const socialConnection = ({ providers }: Deps, provider: OAuthProvider): SocialConnection => ({
  provider,
  settings: providers.find(provider).settings,
});

/** The social providers: OpenID Connect, or OAuth 2.0 with a profile. */
export const social: Adapter<SocialConnection> = {
  /** Throws 404 for a provider that is disabled or degraded, as for an unknown one. */
  async start({ config }, { provider, settings }, { nonce, ...request }) {
    if (!settings) throw new ServiceError('not_found', 'this provider is not available');
    const definition = definitionOf(provider);
    const { public_config } = settings;
    return authorizationUrl(endpointsOf(config, definition, public_config).authorization, {
      ...request,
      nonce: isOpenId(definition) ? nonce : undefined,
      client_id: public_config.client_id!,
      redirect_uri: callbackUrl(config, provider),
      parameters: definition.authorization,
    });
  },
  identify(deps, { provider, settings }, { nonce, code_verifier }, response) {
    const definition = definitionOf(provider);
    // The issuer of a tenant is known only after the token response.
    const hasFixedIssuer = isOpenId(definition) && !definition.issuerOf;
    const code = readCode(response, hasFixedIssuer ? endpointsOf(deps.config, definition).issuer : undefined);
    if (code instanceof Failed) return code;
    if (!settings) return new Failed('provider_error', {}, { cause: 'not_configured' });
    return async () => {
      try {
        const claims = await claimsFrom(deps, definition, settings, { code, nonce, code_verifier });
        return { ...claims, name: claims.name ?? definition.nameInCallback?.(response.user) ?? null };
      } catch (error) {
        throw new Failed('provider_error', {}, { cause: causeOf(error) });
      }
    };
  },
};

/** Rejects if a response of the provider is missing or unusable. */
async function claimsFrom(
  { config, clock, keySets }: Deps,
  definition: OAuthProviderDefinition,
  settings: ProviderSettings,
  { nonce, ...request }: { code: string; nonce: string; code_verifier: string },
): Promise<Claims> {
  const { issuer, token, jwks, userinfo } = endpointsOf(config, definition, settings.public_config);
  const openId = isOpenId(definition) ? definition : undefined;
  const tokens = await exchangeCode(
    { clock },
    {
      ...request,
      nonce: openId && nonce,
      issuer,
      token_endpoint: token,
      client_id: settings.public_config.client_id!,
      secret: definition.clientSecret?.(settings, { issuer, now: clock.now() }) ?? settings.secret,
      method: 'client_secret_post',
      redirect_uri: callbackUrl(config, definition.id),
      issuerOf: openId?.issuerOf && ((response) => openId.issuerOf!(issuer, settings, response)),
      send: outboundFetch,
      // An operator may configure a plain http address, for tests or inside a private network.
      allow_http: token.startsWith('http:'),
    },
  );
  if (openId) await verifySignature(keySets, jwks, tokens);
  const profile = isOpenId(definition)
    ? profileIn(tokens, definition.isEmailVerified)
    : await definition.fetchProfile(userinfo, tokens.access_token, settings);
  return { ...profile, issuer: tokens.issuer, amr: [] };
}

/** Requires a signature by a published key of the provider, although the id_token came directly from it. */
async function verifySignature(keySets: KeySets, jwks: string, tokens: Tokens): Promise<void> {
  const jose = await import('jose');
  const { kid } = jose.decodeProtectedHeader(tokens.id_token!);
  const jwk = kid === undefined ? undefined : await findKey(keySets, jwks, kid);
  if (!jwk || !maySign(jwk, tokens)) throw new ProviderFailure('unknown_key');
  await jose.compactVerify(tokens.id_token!, await jose.importJWK(jwk, 'RS256'), { algorithms: ['RS256'] });
}

const findKey = (keySets: KeySets, url: string, kid: string) =>
  keySets.find(url, kid).catch((error: unknown) => {
    throw error instanceof OutboundError ? error : new ProviderFailure('no_keys');
  });

/** Microsoft's keys name the issuer whose tokens they sign: one tenant, or any (`{tenantid}`). */
const maySign = ({ issuer: owner }: PublicJwk, { issuer, claims }: Tokens): boolean =>
  owner === undefined || (typeof owner === 'string' && owner.replaceAll('{tenantid}', String(claims.tid)) === issuer);

/** Accepts the string 'true' too: Apple sends the claim as a string. */
const saysVerified = ({ email_verified }: Tokens['claims']): boolean =>
  email_verified === true || email_verified === 'true';

const profileIn = ({ claims }: Tokens, isEmailVerified = saysVerified): Profile => ({
  subject: subjectOf(claims.sub),
  ...addressOf(claims.email, isEmailVerified(claims)),
  name: nameOf(claims.name),
});

/** For the log: the failed check or network error. Never quotes a response, which may contain codes and secrets. */
function causeOf(error: unknown): string {
  if (error instanceof ProviderFailure) return error.reason;
  if (error instanceof OutboundError) return error.message;
  const { code, cause, error: oauthError, name } = error as Record<'code' | 'cause' | 'error' | 'name', unknown>;
  // GitHub returns errors with status 200: the library finds no token and passes the body on in `cause`.
  const errorCode = oauthError ?? (cause as { body?: { error?: unknown } } | undefined)?.body?.error;
  const known = knownError(errorCode);
  if (known) return known;
  return typeof code === 'string' && /^[A-Z_]{3,60}$/.test(code) ? code : String(name);
}

import type { Deps } from '../../domain/context.ts';
import { addressOf, nameOf } from '../../domain/kernel/claims.ts';
import { isOpenId, type Profile } from '../../domain/provider-settings/definition.ts';
import { type ExternalIdentity, ProviderFailure, subjectOf } from '../../domain/provider-settings/external-identity.ts';
import type { KeySets, PublicJwk } from '../../domain/provider-settings/key-sets.ts';
import type { ProviderSettings } from '../../domain/provider-settings/resolve.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { type Exchange, exchangeCode, exchangeWith, type Tokens } from './exchange.ts';
import type { OpenedFlow } from './flow.ts';

/** Exchanges the code for the user's identity. Rejects if a response of the provider is missing or unusable. */
export async function identify(
  deps: Deps,
  flow: OpenedFlow,
  settings: ProviderSettings,
  code: string,
): Promise<ExternalIdentity> {
  const exchange = exchangeWith(deps, flow, settings);
  const tokens = await exchangeCode(deps, exchange, code);
  const { definition, endpoints } = exchange;
  if (isOpenId(definition)) await verifySignature(deps.keySets, exchange, tokens);
  const profile = isOpenId(definition)
    ? profileIn(tokens, definition.isEmailVerified)
    : await definition.fetchProfile(endpoints.userinfo, tokens.access_token, settings);
  return { ...profile, provider: definition.id, issuer: tokens.issuer };
}

/** Requires a signature by a published key of the provider, although the id_token came directly from it. */
async function verifySignature(keySets: KeySets, { endpoints }: Exchange, tokens: Tokens): Promise<void> {
  const jose = await import('jose');
  const { kid } = jose.decodeProtectedHeader(tokens.id_token!);
  const jwk = kid === undefined ? undefined : await findKey(keySets, endpoints.jwks, kid);
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

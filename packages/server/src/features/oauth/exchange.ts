import type { OAuthProvider } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { mintAppleSecret } from '../../domain/providers/apple-secret.ts';
import { callbackUrl } from '../../domain/providers/callback-url.ts';
import type { ProviderSettings } from '../../domain/providers/resolve.ts';
import { seconds, systemClock } from '../../platform/clock.ts';
import { outboundFetch } from '../../platform/outbound.ts';
import { isOpenId } from './authorization-url.ts';
import { DEFAULT_TENANT, type Endpoints, endpointsOf } from './endpoints.ts';
import { ProviderFailure } from './external-identity.ts';
import type { OpenedFlow } from './flow.ts';
import { tenantIssuer } from './issuer.ts';

/** All that an exchange with a provider rests on. */
export interface Exchange {
  readonly provider: OAuthProvider;
  readonly settings: ProviderSettings;
  readonly endpoints: Endpoints;
  readonly flow: OpenedFlow;
}

export const exchangeWith = ({ config }: Deps, flow: OpenedFlow, settings: ProviderSettings): Exchange => {
  const { provider } = flow;
  return { provider, settings, flow, endpoints: endpointsOf(config, provider, settings.public_config.tenant) };
};

export interface Tokens {
  readonly access_token: string;
  /** Of OpenID Connect: issuer, audience, nonce and times are right. The signature is still to be looked at. */
  readonly id_token: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly issuer: string;
}

/** The code for tokens, with the PKCE verifier. Loaded with the first sign-in that needs it. */
export async function exchangeCode(deps: Deps, exchange: Exchange, code: string): Promise<Tokens> {
  const oauth = await import('oauth4webapi');
  const { provider, endpoints, flow, settings } = exchange;
  const now = deps.clock.now();
  const client = {
    client_id: settings.public_config.client_id!,
    [oauth.clockSkew]: seconds(now) - seconds(systemClock.now()),
  };
  const server = { issuer: endpoints.issuer, token_endpoint: endpoints.token };
  const callback = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.skipStateCheck);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(secretFor(exchange, now)),
    callback,
    callbackUrl(deps.config, provider),
    flow.code_verifier,
    {
      [oauth.customFetch]: outboundFetch,
      // Plain http is an operator's choice of address, for tests and inside a private network.
      [oauth.allowInsecureRequests]: endpoints.token.startsWith('http:'),
    },
  );
  if (!isOpenId(provider)) {
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    return { access_token, id_token: undefined, claims: {}, issuer: endpoints.issuer };
  }
  const { tenant = DEFAULT_TENANT } = settings.public_config;
  // An answer that is a refusal names no tenant, and says itself what is wrong.
  const isOfTenant = provider === 'oauth_c' && response.status === 200;
  const issuer = isOfTenant ? await tenantIssuer({ issuer: endpoints.issuer, tenant }, response) : endpoints.issuer;
  const tokens = await oauth.processAuthorizationCodeResponse({ ...server, issuer }, client, response, {
    expectedNonce: flow.nonce,
    requireIdToken: true,
  });
  const claims: Tokens['claims'] = oauth.getValidatedIdTokenClaims(tokens) ?? {};
  // The library looks at the party where there are several audiences. We asked ourselves: it can be nobody else.
  if (claims.azp !== undefined && claims.azp !== client.client_id) throw new ProviderFailure('party');
  return { access_token: tokens.access_token, id_token: tokens.id_token, claims, issuer };
}

/** §2.6: Apple's is minted for each exchange. */
function secretFor({ provider, settings, endpoints }: Exchange, now: Date): string {
  if (provider !== 'oauth_d') return settings.secret;
  const secret = mintAppleSecret(settings, { audience: endpoints.issuer, now });
  if (!secret) throw new ProviderFailure('private_key');
  return secret;
}

import type { Deps } from '../../domain/context.ts';
import { callbackUrl } from '../../domain/provider-settings/callback-url.ts';
import { type Endpoints, isOpenId, type OAuthProviderDefinition } from '../../domain/provider-settings/definition.ts';
import { endpointsOf } from '../../domain/provider-settings/endpoints.ts';
import { ProviderFailure } from '../../domain/provider-settings/external-identity.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import type { ProviderSettings } from '../../domain/provider-settings/resolve.ts';
import { seconds, systemClock } from '../../platform/clock.ts';
import { outboundFetch } from '../../platform/outbound.ts';
import type { OpenedFlow } from './flow.ts';

export interface Exchange {
  readonly definition: OAuthProviderDefinition;
  readonly settings: ProviderSettings;
  readonly endpoints: Endpoints;
  readonly flow: OpenedFlow;
}

export const exchangeWith = ({ config }: Deps, flow: OpenedFlow, settings: ProviderSettings): Exchange => {
  const definition = definitionOf(flow.provider);
  return { definition, settings, flow, endpoints: endpointsOf(config, definition, settings.public_config) };
};

export interface Tokens {
  readonly access_token: string;
  /** OpenID Connect only. Issuer, audience, nonce and times are verified; the signature is not verified yet. */
  readonly id_token: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly issuer: string;
}

/** Exchanges the code and the PKCE verifier for tokens. The library is loaded on first use. */
export async function exchangeCode(deps: Deps, exchange: Exchange, code: string): Promise<Tokens> {
  const oauth = await import('oauth4webapi');
  const { definition, endpoints, flow, settings } = exchange;
  const now = deps.clock.now();
  const secret = definition.clientSecret?.(settings, { issuer: endpoints.issuer, now }) ?? settings.secret;
  const client = {
    client_id: settings.public_config.client_id!,
    [oauth.clockSkew]: seconds(now) - seconds(systemClock.now()),
  };
  const server = { issuer: endpoints.issuer, token_endpoint: endpoints.token };
  const callback = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.skipStateCheck);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(secret),
    callback,
    callbackUrl(deps.config, definition.id),
    flow.code_verifier,
    {
      [oauth.customFetch]: outboundFetch,
      // An operator may configure a plain http address, for tests or inside a private network.
      [oauth.allowInsecureRequests]: endpoints.token.startsWith('http:'),
    },
  );
  if (!isOpenId(definition)) {
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    return { access_token, id_token: undefined, claims: {}, issuer: endpoints.issuer };
  }
  // An error response has no id_token; the library throws its error below.
  const issuerOf = response.status === 200 ? definition.issuerOf : undefined;
  const issuer = issuerOf ? await issuerOf(endpoints.issuer, settings, response) : endpoints.issuer;
  const tokens = await oauth.processAuthorizationCodeResponse({ ...server, issuer }, client, response, {
    expectedNonce: flow.nonce,
    requireIdToken: true,
  });
  const claims: Tokens['claims'] = oauth.getValidatedIdTokenClaims(tokens) ?? {};
  // The library checks `azp` only if there are several audiences. The token must have been issued to this client.
  if (claims.azp !== undefined && claims.azp !== client.client_id) throw new ProviderFailure('party');
  return { access_token: tokens.access_token, id_token: tokens.id_token, claims, issuer };
}

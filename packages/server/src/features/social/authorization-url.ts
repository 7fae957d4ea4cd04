import { createHash } from 'node:crypto';
import type { OAuthProvider } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { callbackUrl } from '../../domain/provider-settings/callback-url.ts';
import { isOpenId } from '../../domain/provider-settings/definition.ts';
import { endpointsOf } from '../../domain/provider-settings/endpoints.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import type { ProviderSettings } from '../../domain/provider-settings/resolve.ts';
import { type Flow, sealFlow } from './flow.ts';

/** Returns the active settings. Throws 404 for a provider that is disabled or degraded, as for an unknown one. */
function requireProvider({ providers }: Deps, provider: OAuthProvider): ProviderSettings {
  const { settings } = providers.find(provider);
  if (!settings) throw new ServiceError('not_found', 'this provider is not available');
  return settings;
}

/** The provider's authorization URL: always with state and PKCE S256, and with a nonce for OpenID Connect. */
export function authorizationUrl(deps: Deps, flow: Flow, browser: string): string {
  const { config, keyring, clock } = deps;
  const { provider } = flow;
  const definition = definitionOf(provider);
  const { public_config } = requireProvider(deps, provider);
  const { state, nonce, code_verifier } = sealFlow(keyring, flow, browser, clock.now());
  const url = new URL(endpointsOf(config, definition, public_config).authorization);
  const parameters = {
    response_type: 'code',
    client_id: public_config.client_id!,
    redirect_uri: callbackUrl(config, provider),
    ...definition.authorization,
    state,
    ...(isOpenId(definition) && { nonce }),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

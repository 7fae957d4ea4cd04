import { createHash } from 'node:crypto';
import type { OAuthProvider } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { callbackUrl } from '../../domain/providers/callback-url.ts';
import type { ProviderSettings } from '../../domain/providers/resolve.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { endpointsOf } from './endpoints.ts';
import { type Flow, sealFlow } from './flow.ts';

/** What is asked for, and what else each wants to be told. */
const ASKED: Readonly<Record<OAuthProvider, Readonly<Record<string, string>>>> = {
  oauth_a: { scope: 'openid email profile' },
  oauth_b: { scope: 'read:user user:email' },
  oauth_c: { scope: 'openid email profile', response_mode: 'query' },
  // Apple answers by a form post as soon as it is asked for a name or an email.
  oauth_d: { scope: 'name email', response_mode: 'form_post' },
  oauth_e: { scope: 'email public_profile' },
};

/** Those whose id_token says who somebody is. */
export const isOpenId = (provider: OAuthProvider): boolean =>
  provider === 'oauth_a' || provider === 'oauth_c' || provider === 'oauth_d';

/** What is in force. Off, or on and without what it needs: as if there were no such provider. */
function requireProvider({ providers }: Deps, provider: OAuthProvider): ProviderSettings {
  const { settings } = providers.find(provider);
  if (!settings) throw new ServiceError('not_found', 'this provider is not offered here');
  return settings;
}

/** The way to the provider: state, PKCE S256 and, where it is OpenID Connect, a nonce, always. */
export function authorizationUrl(deps: Deps, flow: Flow, browser: string): string {
  const { config, keyring, clock } = deps;
  const { provider } = flow;
  const { public_config } = requireProvider(deps, provider);
  const { state, nonce, code_verifier } = sealFlow(keyring, flow, browser, clock.now());
  const url = new URL(endpointsOf(config, provider, public_config.tenant).authorization);
  const parameters = {
    response_type: 'code',
    client_id: public_config.client_id!,
    redirect_uri: callbackUrl(config, provider),
    ...ASKED[provider],
    state,
    ...(isOpenId(provider) && { nonce }),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

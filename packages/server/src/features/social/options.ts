import { isIP } from 'node:net';
import { OAUTH_PROVIDERS, PROVIDER_NAMES, type SignInOptions } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { startUrl } from '../../domain/provider-settings/callback-url.ts';
import type { Config } from '../../platform/config/settings.ts';

/** GET /auth/providers: the available sign-in methods, from memory alone. */
export const signInOptions = ({ config, mail, providers }: Deps): SignInOptions => ({
  password: true,
  passkey: worksForPasskeys(config),
  email_otp: mail.transport() !== undefined,
  registration: config.REGISTRATION === 'open',
  oauth: OAUTH_PROVIDERS.filter((provider) => providers.find(provider).settings !== undefined).map((provider) => ({
    provider,
    name: PROVIDER_NAMES[provider],
    start_url: startUrl(config, provider),
  })),
});

/** Browsers allow passkeys for host names, not IP addresses, and only over https or on localhost. */
function worksForPasskeys({ PUBLIC_BASE_URL }: Pick<Config, 'PUBLIC_BASE_URL'>): boolean {
  const { protocol, hostname } = new URL(PUBLIC_BASE_URL);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

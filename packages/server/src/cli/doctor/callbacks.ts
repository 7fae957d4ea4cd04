import { type OAuthProvider, PROVIDER_NAMES } from '@gatehouse/contract';
import { callbackUrl } from '../../domain/provider-settings/callback-url.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import type { ProviderState } from '../../domain/provider-settings/resolve.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Finding, NO_ADDRESS, ok, skipped, warning } from './finding.ts';
import { isAddress, isLoopback, leavesInTheClear } from './site.ts';

const CHECK = 'callback URLs';

/** The callback URLs to register, exactly as shown. Skipped if PUBLIC_BASE_URL is unset: `config` has a placeholder. */
export function examineCallbacks(config: Config, states: readonly ProviderState[], hasAddress: boolean): Finding[] {
  const providers = states
    .filter(({ provider, settings }) => provider !== 'email_transport' && settings !== undefined)
    .map(({ provider }) => provider as OAuthProvider);
  if (providers.length === 0) return [];
  if (!hasAddress) return [skipped(CHECK, NO_ADDRESS)];
  const width = Math.max(...providers.map((provider) => PROVIDER_NAMES[provider].length));
  const lines = providers.map(
    (provider) => `${PROVIDER_NAMES[provider].padEnd(width)}  ${callbackUrl(config, provider)}`,
  );
  const detail = ['register exactly these with the providers:', ...lines].join('\n');
  const fault = faultOf(config, providers);
  return [fault ? warning(CHECK, detail, fault) : ok(CHECK, detail)];
}

function faultOf({ PUBLIC_BASE_URL, NODE_ENV }: Config, providers: readonly OAuthProvider[]): string | undefined {
  const { hostname, protocol } = new URL(PUBLIC_BASE_URL);
  const set = 'set PUBLIC_BASE_URL to the public https address';
  if (leavesInTheClear(PUBLIC_BASE_URL)) return `Providers do not accept plain http: ${set}.`;
  if (isAddress(hostname) && !isLoopback(hostname)) return `Most providers accept no IP addresses: ${set}.`;
  if (isLoopback(hostname) && NODE_ENV === 'production') return `These URLs work on this machine only: ${set}.`;
  const strict = providers.map(definitionOf).find(({ requiresPublicHttps }) => requiresPublicHttps);
  if (strict && (protocol === 'http:' || isLoopback(hostname))) {
    return `${strict.name} accepts only https with a public host name, even for tests: ${set}.`;
  }
  return undefined;
}

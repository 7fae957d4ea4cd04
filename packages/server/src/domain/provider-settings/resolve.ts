import { type DegradedReason, ENVIRONMENT_PROVIDERS, PROVIDERS, type Provider } from '@gatehouse/contract';
import { type Config, settingPrefix } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { missingFields } from './fields.ts';
import type { ProviderRow } from './queries.ts';
import { openProviderSecret } from './secret.ts';

export interface ProviderSettings {
  readonly public_config: Readonly<Record<string, string>>;
  readonly secret: string;
}

export interface ProviderState {
  readonly provider: Provider;
  /** The active settings; undefined: the provider is off. */
  readonly settings: ProviderSettings | undefined;
  readonly source: 'stored' | 'environment' | null;
  /** Why the stored configuration cannot be used although it is enabled; otherwise null. */
  readonly degraded: DegradedReason | null;
}

interface ResolveDeps {
  readonly config: Config;
  readonly keyring: Keyring | undefined;
}

/**
 * §2.5, §2.6: uses the stored row; without a row, or if it cannot be used, the environment. A disabled row turns a
 * third-party provider off; for mail, the environment is used instead.
 */
export function resolveProvider(provider: Provider, row: ProviderRow | undefined, deps: ResolveDeps): ProviderState {
  const environment = fromEnvironment(provider, deps.config);
  const fallback = { provider, settings: environment, source: environment ? 'environment' : null } as const;
  if (!row || (!row.enabled && provider === 'email_transport')) return { ...fallback, degraded: null };
  if (!row.enabled) return { provider, settings: undefined, source: null, degraded: null };
  if (missingFields(provider, row.public_config).length > 0) return { ...fallback, degraded: 'fields_missing' };
  const opened = openProviderSecret(deps.keyring, row);
  if ('reason' in opened) return { ...fallback, degraded: opened.reason };
  const settings = { public_config: row.public_config, secret: opened.secret };
  return { provider, settings, source: 'stored', degraded: null };
}

export const resolveProviders = (
  rows: readonly ProviderRow[],
  deps: ResolveDeps,
): ReadonlyMap<Provider, ProviderState> =>
  new Map(
    PROVIDERS.map((provider) => {
      const row = rows.find((candidate) => candidate.provider === provider);
      return [provider, resolveProvider(provider, row, deps)];
    }),
  );

function fromEnvironment(provider: Provider, config: Config): ProviderSettings | undefined {
  if (provider === 'email_transport') {
    const { EMAIL_API_KEY: secret, EMAIL_FROM: from } = config;
    return secret && from ? { public_config: { from }, secret } : undefined;
  }
  const found = ENVIRONMENT_PROVIDERS.find((id) => id === provider);
  const client_id = found && config[`${settingPrefix(found)}_CLIENT_ID`];
  const secret = found && config[`${settingPrefix(found)}_CLIENT_SECRET`];
  return client_id && secret ? { public_config: { client_id }, secret } : undefined;
}

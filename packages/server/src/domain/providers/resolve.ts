import { type DegradedReason, ENVIRONMENT_PROVIDERS, PROVIDERS, type Provider } from '@gatehouse/contract';
import { type Config, settingPrefix } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { missingFields } from './fields.ts';
import type { ProviderRow } from './queries.ts';
import { openProviderSecret } from './secret.ts';

/** What a provider is used with. */
export interface ProviderSettings {
  readonly public_config: Readonly<Record<string, string>>;
  readonly secret: string;
}

export interface ProviderState {
  readonly provider: Provider;
  /** In force; undefined: off. */
  readonly settings: ProviderSettings | undefined;
  readonly source: 'stored' | 'environment' | null;
  /** The stored row is enabled, and cannot be applied. */
  readonly degraded: DegradedReason | null;
}

interface ResolveDeps {
  readonly config: Config;
  /** Of CONFIG_ENCRYPTION_KEY. */
  readonly keyring: Keyring | undefined;
}

/**
 * §2.5, §2.6: the stored row; the environment where there is no row, or where it cannot be applied. A row that is switched off
 * switches third-party sign-in off; mail has to leave all the same.
 */
export function resolveProvider(provider: Provider, row: ProviderRow | undefined, around: ResolveDeps): ProviderState {
  const environment = fromEnvironment(provider, around.config);
  const fallback = { provider, settings: environment, source: environment ? 'environment' : null } as const;
  if (!row || (!row.enabled && provider === 'email_transport')) return { ...fallback, degraded: null };
  if (!row.enabled) return { provider, settings: undefined, source: null, degraded: null };
  if (missingFields(provider, row.public_config).length > 0) return { ...fallback, degraded: 'fields_missing' };
  const opened = openProviderSecret(around.keyring, row);
  if ('reason' in opened) return { ...fallback, degraded: opened.reason };
  const settings = { public_config: row.public_config, secret: opened.secret };
  return { provider, settings, source: 'stored', degraded: null };
}

/** All of them, whether or not there is a row. */
export const resolveProviders = (
  rows: readonly ProviderRow[],
  around: ResolveDeps,
): ReadonlyMap<Provider, ProviderState> =>
  new Map(
    PROVIDERS.map((provider) => {
      const row = rows.find((candidate) => candidate.provider === provider);
      return [provider, resolveProvider(provider, row, around)];
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

import { PROVIDER_NAMES, type Provider, type ProviderView } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { callbackUrl } from '../../domain/provider-settings/callback-url.ts';
import type { ProviderRow } from '../../domain/provider-settings/queries.ts';
import { resolveProvider } from '../../domain/provider-settings/resolve.ts';
import { keyIdOf } from '../../domain/provider-settings/secret.ts';

type DescribeDeps = Pick<Deps, 'config' | 'configKeyring'>;

/** §2.5: the API view of a stored or missing row. Contains whether there is a secret, never the secret itself. */
export function describeProvider(
  { config, configKeyring: keyring }: DescribeDeps,
  provider: Provider,
  row: ProviderRow | undefined,
): ProviderView {
  const { degraded, source } = resolveProvider(provider, row, { config, keyring });
  return {
    provider,
    name: PROVIDER_NAMES[provider],
    enabled: row?.enabled ?? false,
    public_config: row?.public_config ?? {},
    secret_set: row !== undefined && row.sealed_secret !== null,
    key_id: row ? keyIdOf(row) : null,
    updated_at: row?.updated_at.toISOString() ?? null,
    degraded: degraded !== null,
    degraded_reason: degraded,
    source,
    callback_url: provider === 'email_transport' ? null : callbackUrl(config, provider),
  };
}

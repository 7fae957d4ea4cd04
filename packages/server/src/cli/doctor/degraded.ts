import { PROVIDER_NAMES } from '@gatehouse/contract';
import { missingFields } from '../../domain/provider-settings/fields.ts';
import type { ProviderRow } from '../../domain/provider-settings/queries.ts';
import type { ProviderState } from '../../domain/provider-settings/resolve.ts';
import { keyIdOf } from '../../domain/provider-settings/secret.ts';
import type { Config } from '../../platform/config/settings.ts';
import { command, type Finding, warning } from './finding.ts';

/** §2.5 `degraded`: why a stored provider configuration cannot be used, and what to do. */
export function examineDegraded(
  { ROUTE_PREFIX }: Config,
  state: ProviderState,
  row: ProviderRow | undefined,
): Finding[] {
  if (!state.degraded || !row) return [];
  const { why, fix } = REASONS[state.degraded](row);
  const instead = state.source === 'environment' ? 'the environment is used instead' : 'it is not used';
  const detail = `the stored configuration cannot be used: ${why}; ${instead}`;
  const where = `PUT ${ROUTE_PREFIX}/admin/integrations/${row.provider}`;
  return [warning(`provider ${PROVIDER_NAMES[row.provider]}`, detail, `${fix} (${where}).`)];
}

type Explanation = (row: ProviderRow) => { readonly why: string; readonly fix: string };

const REASONS: Readonly<Record<NonNullable<ProviderState['degraded']>, Explanation>> = {
  fields_missing: ({ provider, public_config }) => {
    const missing = missingFields(provider, public_config).join(', ');
    return { why: `${missing} missing`, fix: `Save it with ${missing}, or disable it` };
  },
  secret_missing: () => ({ why: 'no secret is stored', fix: 'Save its secret, or disable it' }),
  key_unset: (row) => ({
    why: 'its secret is encrypted, and CONFIG_ENCRYPTION_KEY is not set',
    fix: `Set CONFIG_ENCRYPTION_KEY to the key with the id ${keyIdOf(row)}, or set a new key and enter the secret again`,
  }),
  key_unknown: (row) => ({
    why: `its secret was encrypted with another key (id ${keyIdOf(row)})`,
    fix:
      `Set CONFIG_ENCRYPTION_KEY_PREVIOUS to the old key and run ${command('config-key rotate')}, or enter the secret ` +
      'again',
  }),
  secret_unreadable: () => ({
    why: 'its secret is corrupted, or was copied from another row or database',
    fix: 'Enter the secret again',
  }),
};

import { PROVIDERS, type ProviderList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listProviderRows } from '../../domain/provider-settings/queries.ts';
import { describeProvider } from './describe.ts';

/** §4.9 GET /admin/integrations: all providers, configured or not, read from the database. */
export async function listProviders(deps: Deps): Promise<ProviderList> {
  const rows = await listProviderRows(deps.db);
  const rowOf = new Map(rows.map((row) => [row.provider, row]));
  return {
    secrets_enabled: deps.configKeyring !== undefined,
    providers: PROVIDERS.map((provider) => describeProvider(deps, provider, rowOf.get(provider))),
  };
}

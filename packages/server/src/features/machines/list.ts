import type { ApiKeyList, ServiceAccount, ServiceAccountList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { findAccount, listAccounts, listLivingKeys } from '../../domain/machines/queries.ts';
import { describeAccount, describeKey, noSuchAccount } from './describe.ts';

interface AccountId {
  readonly organization_id: string;
  readonly id: string;
}

/** GET /orgs/:org_id/service-accounts: sorted by name. */
export const listServiceAccounts = async ({ db }: Deps, organization_id: string): Promise<ServiceAccountList> => ({
  items: (await listAccounts(db, organization_id)).map(describeAccount),
});

export async function findServiceAccount({ db }: Deps, which: AccountId): Promise<ServiceAccount> {
  const row = await findAccount(db, which);
  if (!row) throw noSuchAccount();
  return describeAccount(row);
}

/** GET /orgs/:org_id/service-accounts/:id/keys: the keys that have not ended, newest first. */
export async function listKeys(deps: Deps, which: AccountId): Promise<ApiKeyList> {
  if (!(await findAccount(deps.db, which))) throw noSuchAccount();
  return { items: (await listLivingKeys(deps.db, which.id, deps.clock.now())).map(describeKey) };
}

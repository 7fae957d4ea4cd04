import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { endKeys } from '../../domain/machines/end-keys.ts';
import { findAccountForUpdate, findKey } from '../../domain/machines/queries.ts';
import { noSuchAccount, noSuchKey } from './describe.ts';

interface KeyId {
  readonly service_account_id: string;
  readonly key_id: string;
}

/** DELETE /orgs/:org_id/service-accounts/:id/keys/:key_id: 204 also for an ended key, 404 for an unknown id. */
export async function revokeApiKey(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { service_account_id, key_id }: KeyId,
): Promise<void> {
  const now = deps.clock.now();
  const { organization_id } = actorOf(principal);
  await transactAs({ deps, caller }, {}, async (tx) => {
    const account = await findAccountForUpdate(tx, { id: service_account_id, organization_id });
    if (!account) throw noSuchAccount();
    if (!(await findKey(tx, { id: key_id, service_account_id, now }))) throw noSuchKey();
    const [ended] = await endKeys(tx, deps, { id: key_id }, now);
    if (!ended) return;
    await recordAudit(tx, caller, {
      action: 'api_key.revoked',
      now,
      resource_type: 'api_key',
      resource_id: key_id,
      metadata: { service_account_id },
    });
  });
}

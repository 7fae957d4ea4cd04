import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { endKeys } from '../../domain/machines/end-keys.ts';
import {
  findAccountForUpdate,
  lockAccountRoles,
  updateAccount,
  updateAccountRoles,
} from '../../domain/machines/queries.ts';
import { noSuchAccount } from './describe.ts';

/** DELETE /orgs/:org_id/service-accounts/:id: ends its keys. 204 also for a deleted account, 404 for an unknown id. */
export async function removeServiceAccount(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  id: string,
): Promise<void> {
  const now = deps.clock.now();
  const { organization_id } = actorOf(principal);
  await transactAs({ deps, caller }, {}, async (tx) => {
    const account = await findAccountForUpdate(tx, { id, organization_id });
    if (!account) throw noSuchAccount();
    if (account.deleted_at !== null) return;
    const ended = await endKeys(tx, deps, { service_account_id: id }, now);
    const roles = await lockAccountRoles(tx, id);
    await updateAccountRoles(tx, id, { added: [], removed: roles.map((role) => role.id) });
    await updateAccount(tx, id, { deleted_at: now });
    await deps.bus.announce(tx, now, [{ topic: 'user', key: id }]);
    await recordAudit(tx, caller, {
      action: 'service_account.deleted',
      now,
      resource_type: 'service_account',
      resource_id: id,
      metadata: { keys_revoked: ended.length },
    });
  });
}

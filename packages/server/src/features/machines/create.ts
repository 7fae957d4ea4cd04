import { LIMITS, type NewServiceAccount, type ServiceAccount } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import {
  distinctIds,
  lockRoles,
  permissionsIn,
  requireAll,
  requireFound,
} from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { countAccounts, insertAccount, updateAccountRoles } from '../../domain/machines/queries.ts';
import { findAssignableRoles } from '../../domain/roles/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { findServiceAccount } from './list.ts';

/** POST /orgs/:org_id/service-accounts. Owners may give it any role, others only roles whose permissions they have. */
export async function createServiceAccount(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  input: NewServiceAccount,
): Promise<ServiceAccount> {
  const now = deps.clock.now();
  const { organization_id, actor_id: created_by } = actorOf(principal);
  const id = uuid();
  const name = input.name.trim();
  const description = input.description?.trim() || null;
  const role_ids = distinctIds(input.role_ids ?? []);

  // Serializes the writes of roles and their assignment in this organization, so that the count stays as checked.
  const locks = (tx: Tx) => lockRoles(tx, organization_id);
  await transactAs({ deps, caller }, { locks }, async (tx, { member: actor }) => {
    const roles = await findAssignableRoles(tx, organization_id, role_ids);
    requireFound(roles, role_ids);
    await requireAll(tx, actor, permissionsIn(roles));
    if ((await countAccounts(tx, organization_id)) >= LIMITS.machine.perOrganization) {
      throw new ServiceError(
        'conflict',
        `there are ${LIMITS.machine.perOrganization} service accounts, which is the maximum`,
      );
    }
    await insertAccount(tx, { id, organization_id, name, description, created_by, created_at: now });
    await updateAccountRoles(tx, id, { added: role_ids, removed: [] });
    await recordAudit(tx, caller, {
      action: 'service_account.created',
      now,
      resource_type: 'service_account',
      resource_id: id,
      metadata: { role_ids },
    });
  });
  return findServiceAccount(deps, { organization_id, id });
}

import type { Organization, OrganizationChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { requireAnotherPlatformOwner } from '../../domain/authorization/last-platform-owner.ts';
import { lockPlatformOwners } from '../../domain/authorization/platform-role.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { endMachineTokens } from '../../domain/machines/end-keys.ts';
import { findOrganizationForUpdate, updateOrganization } from '../../domain/organizations/queries.ts';
import { revokeTenantSessions } from '../../domain/sessions/revoke.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { describeOrganization } from './describe.ts';
import { noSuchOrganization } from './find.ts';

/** §3, §4.12 PATCH /admin/orgs/:id: rename, suspend or restore. Unchanged fields are neither written nor audited. */
export function changeOrganization(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { id, name, suspended }: OrganizationChange & { id: string },
): Promise<Organization> {
  const now = deps.clock.now();
  const locks = async (tx: Tx) => suspended && lockPlatformOwners(tx);
  return transactAs({ deps, caller }, { locks }, async (tx) => {
    const before = await findOrganizationForUpdate(tx, id);
    if (!before) throw noSuchOrganization();
    const after = {
      ...before,
      name: name?.trim() ?? before.name,
      suspended_at: (suspended ?? before.suspended_at !== null) ? (before.suspended_at ?? now) : null,
    };
    const renamed = after.name !== before.name;
    const suspensionChanged = (after.suspended_at === null) !== (before.suspended_at === null);
    if (suspensionChanged && suspended) await requireUndoable(tx, principal, id);
    if (renamed || suspensionChanged) await updateOrganization(tx, after);

    const about = { now, resource_type: 'organization', resource_id: id, organization_id: id } as const;
    if (renamed) await recordAudit(tx, caller, { ...about, action: 'org.updated', metadata: { fields: ['name'] } });
    if (suspensionChanged && suspended) {
      // Runs after the update of the row: a concurrent sign-in that locked it has committed, so its session is found.
      const sessions_revoked = await revokeTenantSessions(tx, deps, { organization_id: id }, now);
      await endMachineTokens(tx, [id], now);
      await recordAudit(tx, caller, { ...about, action: 'org.suspended', metadata: { sessions_revoked } });
    } else if (suspensionChanged) {
      await recordAudit(tx, caller, { ...about, action: 'org.restored', metadata: {} });
    }
    if (suspensionChanged) await deps.bus.announce(tx, now, [{ topic: 'organization', key: id }]);
    return describeOrganization(after);
  });
}

/**
 * docs/reference/accounts.md#platform-roles: the caller and a platform owner must still be able to undo the suspension.
 */
async function requireUndoable(tx: Tx, principal: Principal, id: string): Promise<void> {
  if (id === actorOf(principal).organization_id)
    throw new ServiceError('conflict', 'this is the organization of your own session');
  await requireAnotherPlatformOwner(tx, { organization_id: id });
}

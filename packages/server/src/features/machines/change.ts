import type { ServiceAccount, ServiceAccountChange } from '@gatehouse/contract';
import type { MetadataOf } from '../../domain/audit/events.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import {
  countRoleWrite,
  distinctIds,
  lockRoles,
  permissionsIn,
  requireAll,
  requireFound,
} from '../../domain/authorization/assign-roles.ts';
import type { ActingMember } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import {
  findAccountForUpdate,
  lockAccountRoles,
  renewSids,
  updateAccount,
  updateAccountRoles,
} from '../../domain/machines/queries.ts';
import { findAssignableRoles } from '../../domain/roles/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { noSuchAccount } from './describe.ts';
import { findServiceAccount } from './list.ts';

type Change = ServiceAccountChange & { readonly id: string };

/**
 * PATCH /orgs/:org_id/service-accounts/:id. The caller needs every permission that the account has before and after the
 * change; disabling it alone needs only `machines.manage`. Unchanged fields are neither written nor audited.
 */
export async function changeServiceAccount(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { id, ...change }: Change,
): Promise<ServiceAccount> {
  const { organization_id } = actorOf(principal);
  const { name, description, role_ids, disabled } = change;
  const isEdit = [name, description, role_ids].some((field) => field !== undefined) || disabled === false;
  const locks = async (tx: Tx) => isEdit && lockRoles(tx, organization_id);
  await transactAs({ deps, caller }, { locks }, (tx, { member }) =>
    write(tx, deps, caller, { actor: member, isEdit }, { id, ...change }),
  );
  return findServiceAccount(deps, { organization_id, id });
}

async function write(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { actor, isEdit }: { actor: ActingMember; isEdit: boolean },
  { id, name, description, role_ids, disabled }: Change,
): Promise<void> {
  const now = deps.clock.now();
  const { organization_id } = actor;
  const before = await findAccountForUpdate(tx, { id, organization_id });
  if (!before || before.deleted_at !== null) throw noSuchAccount();
  const current = await lockAccountRoles(tx, id);
  const wanted = role_ids && distinctIds(role_ids);
  const roles = wanted ? await findAssignableRoles(tx, organization_id, wanted) : [];
  requireFound(roles, wanted ?? []);
  if (isEdit) await requireAll(tx, actor, permissionsIn([...current, ...roles]));

  const held = current.map((role) => role.id);
  const added = wanted?.filter((role_id) => !held.includes(role_id)) ?? [];
  const removed = wanted ? held.filter((role_id) => !wanted.includes(role_id)) : [];
  const after = {
    name: name?.trim() ?? before.name,
    description: description === undefined ? before.description : description?.trim() || null,
  };
  const fields = FIELDS.filter((field) => after[field] !== before[field]);
  const rolesChanged = added.length + removed.length > 0;
  const about = { now, resource_type: 'service_account', resource_id: id } as const;

  if (fields.length > 0) await updateAccount(tx, id, after);
  if (fields.length > 0 || rolesChanged) {
    const metadata: MetadataOf<'service_account.updated'> = {
      fields: rolesChanged ? [...fields, 'roles'] : fields,
      added,
      removed,
    };
    await recordAudit(tx, caller, { ...about, action: 'service_account.updated', metadata });
  }
  if (rolesChanged) {
    await updateAccountRoles(tx, id, { added, removed });
    await markStale(tx, deps, { organization_id, user_id: id }, now);
    await countRoleWrite(tx, deps, organization_id, now);
  }
  const wasDisabled = before.disabled_at !== null;
  if (disabled !== undefined && disabled !== wasDisabled) {
    await updateAccount(tx, id, { disabled_at: disabled ? now : null });
    if (disabled) await renewSids(tx, { service_account_id: id }, now);
    const action = disabled ? 'service_account.disabled' : 'service_account.enabled';
    await recordAudit(tx, caller, { ...about, action, metadata: {} });
  }
  await deps.bus.announce(tx, now, [{ topic: 'user', key: id }]);
}

const FIELDS = ['name', 'description'] as const;

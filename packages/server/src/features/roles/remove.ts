import { recordAudit } from '../../domain/audit/record.ts';
import { countRoleWrite, lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { deleteRole, findRoleForUpdate } from '../../domain/roles/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import { noSuchRole } from './describe.ts';
import { aboutRole, requiringAll, type Scope, scopeName } from './scope.ts';

/** DELETE /admin/roles/:id, DELETE /orgs/:org_id/roles/:id: 204 also for a deleted role, 404 for an unknown id. */
export async function removeRole(deps: Deps, caller: Caller, scope: Scope, id: string): Promise<void> {
  const now = deps.clock.now();
  const { organization_id } = scope;
  await transactAs({ deps, caller }, { locks: (tx) => lockRoles(tx, scope.organization_id) }, async (tx, checked) => {
    const requireAll = requiringAll(tx, scope, checked);
    const role = await findRoleForUpdate(tx, { id, organization_id });
    if (!role) throw noSuchRole();
    if (role.deleted_at !== null) return;
    await requireAll(role.permissions);
    // Runs before the deletion, because it finds the affected members by this role.
    await markStale(tx, deps, { role_ids: [id] }, now);
    await deleteRole(tx, id, now);
    const metadata = { scope: scopeName(scope), permissions: role.permissions };
    await recordAudit(tx, caller, { action: 'role.deleted', now, ...aboutRole(scope, id), metadata });
    await countRoleWrite(tx, deps, organization_id, now);
  });
}

import { NIL_UUID } from '@gatehouse/contract';
import { lockApplications, removeScope } from '../../domain/applications/queries.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { deletePermission, removeFromRoles } from '../../domain/roles/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import type { Tx } from '../../platform/db/connect.ts';

/** DELETE /admin/permissions/:name: also removes it from all roles and applications. 204 also for an unknown name. */
export async function removePermission(deps: Deps, caller: Caller, name: string): Promise<void> {
  const now = deps.clock.now();
  const locks = async (tx: Tx) => {
    await lockRoles(tx, null);
    await lockApplications(tx);
  };
  await transactAs({ deps, caller }, { locks }, async (tx) => {
    if (!(await deletePermission(tx, name))) return;
    const role_ids = await removeFromRoles(tx, name, now);
    await markStale(tx, deps, { role_ids }, now);
    const applications = await removeScope(tx, name);
    if (applications > 0) await deps.bus.announce(tx, now, [{ topic: 'applications', key: '*' }]);
    await recordAudit(tx, caller, {
      action: 'permission.deleted',
      now,
      resource_type: 'permission',
      resource_id: name,
      organization_id: NIL_UUID,
      metadata: { roles: role_ids.length, applications },
    });
  });
}

import type { PermissionList, RoleList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listPermissions, listRoles } from '../../domain/roles/queries.ts';
import { describePermission, describeRole } from './describe.ts';

/** GET /admin/roles: the global roles. GET /orgs/:org_id/roles: global roles, then those of the organization. */
export async function listAllRoles({ db }: Deps, organization_id: string | null): Promise<RoleList> {
  return { items: (await listRoles(db, organization_id)).map(describeRole) };
}

/** GET /admin/permissions, GET /orgs/:org_id/permissions: sorted by name. */
export async function listAllPermissions({ db }: Deps): Promise<PermissionList> {
  return { items: (await listPermissions(db)).map(describePermission) };
}

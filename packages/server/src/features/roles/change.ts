import type { Role, RoleChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { countRoleWrite, lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { findRoleForUpdate, type RoleRow, updateRole } from '../../domain/roles/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import { describeRole, noSuchRole } from './describe.ts';
import { descriptionFrom, distinct, requireFreeSlug, requireKnown } from './rules.ts';
import { aboutRole, requiringAll, type Scope, scopeName } from './scope.ts';

/**
 * The caller needs all permissions of the role before and after the change. Changed permissions make the access tokens
 * of its members stale; a new name does not.
 */
export function changeRole(
  deps: Deps,
  caller: Caller,
  scope: Scope,
  { id, ...change }: RoleChange & { id: string },
): Promise<Role> {
  const now = deps.clock.now();
  const { organization_id } = scope;
  return transactAs({ deps, caller }, { locks: (tx) => lockRoles(tx, scope.organization_id) }, async (tx, checked) => {
    const requireAll = requiringAll(tx, scope, checked);
    const permissions = change.permissions && distinct(change.permissions);
    if (permissions) await requireKnown(tx, permissions);
    const before = await findRoleForUpdate(tx, { id, organization_id });
    if (!before || before.deleted_at !== null) throw noSuchRole();
    await requireAll([...before.permissions, ...(permissions ?? [])]);

    const after: RoleRow = {
      ...before,
      name: change.name?.trim() ?? before.name,
      slug: change.slug ?? before.slug,
      description: change.description === undefined ? before.description : descriptionFrom(change.description),
      permissions: permissions ?? before.permissions,
      updated_at: now,
    };
    const fields = FIELDS.filter((field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]));
    if (fields.length === 0) return describeRole(before);
    if (fields.includes('slug')) await requireFreeSlug(tx, after.slug, { organization_id, except: id });
    await updateRole(tx, after);
    const added = after.permissions.filter((name) => !before.permissions.includes(name));
    const removed = before.permissions.filter((name) => !after.permissions.includes(name));
    const metadata = { scope: scopeName(scope), fields, added, removed };
    await recordAudit(tx, caller, { action: 'role.updated', now, ...aboutRole(scope, id), metadata });
    if (fields.includes('permissions')) await markStale(tx, deps, { role_ids: [id] }, now);
    // The states of sessions contain the slugs of roles.
    else if (fields.includes('slug')) await deps.bus.announce(tx, now, [sessionsIn(organization_id)]);
    await countRoleWrite(tx, deps, organization_id, now);
    return describeRole(after);
  });
}

const FIELDS = ['name', 'slug', 'description', 'permissions'] as const;

const sessionsIn = (organization_id: string | null) =>
  ({ topic: 'organization', key: organization_id ?? '*' }) as const;

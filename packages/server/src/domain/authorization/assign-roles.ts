import type { Tx } from '../../platform/db/connect.ts';
import { lock, shareLock } from '../../platform/db/lock.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { isOver, updateCounters } from '../../platform/limiter/queries.ts';
import type { Deps } from '../context.ts';
import { roleHasPermission } from '../kernel/permissions.ts';
import type { Principal } from '../kernel/principal.ts';
import { ServiceError, tooMany } from '../kernel/service-error.ts';
import { findAssignableRoles, lockHeldPermissions } from '../roles/queries.ts';
import { type ActingMember, requirePermission } from './require-permission.ts';

/**
 * Serializes writes of the roles of one organization and of their assignments. With null, for permissions and global
 * roles, excludes the writes of all organizations. So a role does not change while it is assigned, and counts and slugs
 * stay as they were checked. Must be taken before any row lock.
 */
export async function lockRoles(tx: Tx, organization_id: string | null): Promise<void> {
  if (organization_id === null) return lock(tx, 'roles');
  await shareLock(tx, 'roles');
  await lock(tx, `roles of ${organization_id}`);
}

/**
 * docs/reference/organizations.md#roles: owners may use any permission in roles, others only those that they have
 * themselves.
 */
export async function requireAll(tx: Tx, actor: ActingMember, permissions: Iterable<string>): Promise<void> {
  if (actor.role === 'owner') return;
  // The scopes of its key limit what a machine may do, so it may lack a permission that every member has.
  const held = actor.machine?.permissions ?? (await lockHeldPermissions(tx, actor));
  for (const name of permissions) {
    if (held.has(name) || (!actor.machine && roleHasPermission(actor.role, name))) continue;
    throw new ServiceError('forbidden', `you do not have the permission ${name} of this role`);
  }
}

type AssignedRole = Awaited<ReturnType<typeof findAssignableRoles>>[number];

/** Throws 403 unless the caller may assign all these roles, 400 if one does not exist. Requires `lockRoles`. */
export async function requireMayAssign(
  tx: Tx,
  principal: Principal,
  role_ids: readonly string[],
  { allowMissing = false } = {},
): Promise<void> {
  const actor = await requirePermission(tx, principal, 'roles.manage');
  const roles = await findAssignableRoles(tx, actor.organization_id, role_ids);
  if (!allowMissing) requireFound(roles, role_ids);
  await requireAll(tx, actor, permissionsIn(roles));
}

export function requireFound(roles: readonly AssignedRole[], role_ids: readonly string[]): void {
  const found = new Set(roles.map(({ id }) => id));
  if (role_ids.some((id) => !found.has(id))) {
    throw new ServiceError('invalid_input', 'role_ids: contains a role that does not exist in this organization');
  }
}

export const permissionsIn = (roles: readonly AssignedRole[]): string[] =>
  roles.flatMap(({ permissions }) => permissions);

export const distinctIds = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

/** Counts a write in the transaction of the change, so that a rejected change is not counted. */
export async function countRoleWrite(tx: Tx, deps: Deps, organization_id: string | null, now: Date): Promise<void> {
  const { limiter, config } = deps;
  const counter = limiter.counter('role writes', organization_id ?? 'global', config.LIMIT_ROLE_WRITES);
  const [count] = await updateCounters(tx, [counter], now);
  if (count && isOver([counter], count)) throw tooMany(secondsUntil(count.resets_at, now));
}

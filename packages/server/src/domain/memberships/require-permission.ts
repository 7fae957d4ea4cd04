import type { Tx } from '../../platform/db/connect.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import {
  type OrganizationPermission,
  type OrganizationRole,
  ranksAtLeast,
  roleHasPermission,
} from '../access/roles.ts';
import { lockHeldPermissions } from '../roles/queries.ts';
import { ServiceError } from '../service-error.ts';
import type { MembershipKey } from './key.ts';
import { findActiveMembership } from './queries.ts';

export type ActiveMembership = NonNullable<Awaited<ReturnType<typeof findActiveMembership>>> & MembershipKey;

/**
 * The contract, section 3: checks the permission in the transaction that writes, because the cached session state may
 * be seconds old.
 */
export async function requirePermission(
  tx: Tx,
  principal: Principal,
  permission: OrganizationPermission,
): Promise<ActiveMembership> {
  const { organization_id, actor_id: user_id } = actorOf(principal);
  const key = { organization_id, user_id };
  const membership = await findActiveMembership(tx, key);
  // The other roles are read in a separate statement, which sees a change that the lock has waited for.
  if (
    !membership ||
    !(roleHasPermission(membership.role, permission) || (await lockHeldPermissions(tx, key)).has(permission))
  ) {
    throw new ServiceError('forbidden', `your role does not have the permission ${permission}`);
  }
  return { ...membership, ...key };
}

/** Members cannot grant, invite, edit or remove above their own rank. */
export function requireRank({ role }: ActiveMembership, other: OrganizationRole): void {
  if (!ranksAtLeast(role, other)) throw new ServiceError('forbidden', `your role, ${role}, is below ${other}`);
}

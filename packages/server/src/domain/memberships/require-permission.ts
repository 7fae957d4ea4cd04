import type { Tx } from '../../platform/db/connect.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import { hasPermission, type OrganizationPermission, type OrganizationRole, ranksAtLeast } from '../access/roles.ts';
import { ServiceError } from '../service-error.ts';
import { findActiveMembership } from './queries.ts';

export type ActiveMembership = NonNullable<Awaited<ReturnType<typeof findActiveMembership>>>;

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
  const membership = await findActiveMembership(tx, { organization_id, user_id });
  if (!membership || !hasPermission(membership.role, permission)) {
    throw new ServiceError('forbidden', `your role does not have the permission ${permission}`);
  }
  return membership;
}

/** Members cannot grant, invite, edit or remove above their own rank. */
export function requireRank({ role }: ActiveMembership, other: OrganizationRole): void {
  if (!ranksAtLeast(role, other)) throw new ServiceError('forbidden', `your role, ${role}, is below ${other}`);
}

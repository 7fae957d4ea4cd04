import type { Tx } from '../../platform/db/connect.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import { holds, type OrganizationPermission, type OrganizationRole, ranksWith } from '../access/roles.ts';
import { ServiceError } from '../service-error.ts';
import { findStanding } from './queries.ts';

export type Standing = NonNullable<Awaited<ReturnType<typeof findStanding>>>;

/**
 * The contract, section 3: whoever acts in an organization may do so at the moment of writing. What a session remembers of its
 * member may be seconds old.
 */
export async function requireStanding(
  tx: Tx,
  principal: Principal,
  permission: OrganizationPermission,
): Promise<Standing> {
  const { organization_id, actor_id: user_id } = actorOf(principal);
  const standing = await findStanding(tx, { organization_id, user_id });
  if (!standing || !holds(standing.role, permission)) {
    throw new ServiceError('forbidden', `your role does not have the permission ${permission}`);
  }
  return standing;
}

/** Nobody grants, invites, edits or removes above their own rank. */
export function requireRank({ role }: Standing, other: OrganizationRole): void {
  if (!ranksWith(role, other)) throw new ServiceError('forbidden', `your role, ${role}, is below ${other}`);
}

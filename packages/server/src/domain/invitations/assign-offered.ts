import type { Tx } from '../../platform/db/connect.ts';
import { permissionsOf } from '../kernel/permissions.ts';
import { findAssignableRoles, insertMemberRoles } from '../roles/queries.ts';
import type { OpenInvitation } from './queries.ts';

/**
 * Gives a new member the roles of the invitation, except those that were deleted since and those that the inviter could
 * not assign now. The transaction has claimed the invitation, which locks the inviter's membership.
 */
export async function assignOffered(tx: Tx, invitation: OpenInvitation, user_id: string): Promise<void> {
  const { organization_id, role_ids, inviter_role, inviter_held } = invitation;
  if (role_ids.length === 0 || inviter_role === null) return;
  const roles = await findAssignableRoles(tx, organization_id, role_ids);
  const held = new Set(permissionsOf({ role: inviter_role, held: inviter_held }));
  const mayAssign = (permissions: readonly string[]): boolean =>
    inviter_role === 'owner' || (held.has('roles.manage') && permissions.every((name) => held.has(name)));
  const assigned = roles.filter(({ permissions }) => mayAssign(permissions)).map(({ id }) => id);
  await insertMemberRoles(tx, { organization_id, user_id }, assigned);
}

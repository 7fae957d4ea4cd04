import type { Member } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockOwners, requireAnotherOwner } from '../../domain/authorization/owners.ts';
import { requireRank } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { OrganizationRole } from '../../domain/kernel/permissions.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { findMember, findMembershipForUpdate, updateRole } from '../../domain/memberships/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { describeMember, noSuchMember } from './describe.ts';

interface Change {
  readonly user_id: string;
  readonly role: OrganizationRole;
}

/**
 * PATCH /orgs/:org_id/members/:user_id: neither the member's current role nor the new one may be above the caller's;
 * the last owner cannot be demoted. Existing sessions of the member get the new permissions.
 */
export async function changeRole(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { user_id, role }: Change,
): Promise<Member> {
  const now = deps.clock.now();
  const membershipKey = { organization_id: actorOf(principal).organization_id, user_id };

  const locks = (tx: Tx) => lockOwners(tx, membershipKey.organization_id);
  await transactAs({ deps, caller }, { locks }, async (tx, { member: actor }) => {
    requireRank(actor, role);
    const membership = await findMembershipForUpdate(tx, membershipKey);
    if (!membership || membership.revoked_at !== null || membership.status === 'deleted') throw noSuchMember();
    requireRank(actor, membership.role);
    if (membership.role === role) return;
    await requireAnotherOwner(tx, membershipKey, membership);
    await updateRole(tx, { ...membershipKey, role });
    await recordAudit(tx, caller, {
      action: 'member.role_changed',
      now,
      resource_type: 'member',
      resource_id: user_id,
      metadata: { from: membership.role, to: role },
    });
    await markStale(tx, deps, membershipKey, now);
  });

  const row = await findMember(deps.db, membershipKey);
  // The member was removed in the meantime.
  if (!row) throw noSuchMember();
  return describeMember(deps.config, row);
}

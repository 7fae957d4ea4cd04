import { recordAudit } from '../../domain/audit/record.ts';
import { requireAnotherPlatformOwner } from '../../domain/authorization/last-platform-owner.ts';
import { lockOwners, requireAnotherOwner } from '../../domain/authorization/owners.ts';
import { lockPlatformOwners } from '../../domain/authorization/platform-role.ts';
import { requireRank } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { MembershipKey } from '../../domain/kernel/membership-key.ts';
import { actorOf, isUser, type Principal } from '../../domain/kernel/principal.ts';
import { findMembershipForUpdate, revokeMembership } from '../../domain/memberships/queries.ts';
import { revokeTenantSessions } from '../../domain/sessions/revoke.ts';
import { clearLastOrganization, isPlatformOwner, lockUsers } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { noSuchMember } from './describe.ts';

/**
 * DELETE /orgs/:org_id/members/:user_id: ends the membership and its sessions. Every member may leave. A member above
 * the caller, the last owner, and the last membership through which a platform owner can sign in cannot be removed. 204
 * also for an ended membership, 404 for one that never existed.
 */
export async function removeMember(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  const { actor_id, organization_id } = actorOf(principal);
  const membershipKey = { organization_id, user_id };
  const left = isUser(principal, user_id);

  const locks = async (tx: Tx) => {
    const wasOwner = await isPlatformOwner(tx, user_id);
    if (wasOwner) await lockPlatformOwners(tx);
    await lockOwners(tx, organization_id);
    // A concurrent sign-in locks the user's row too.
    await lockUsers(tx, [actor_id, user_id]);
    return { wasOwner };
  };
  const isDone = await transactAs({ deps, caller }, { locks }, async (tx, checked) => {
    const { wasOwner } = checked.locked;
    const membership = await findMembershipForUpdate(tx, membershipKey);
    if (!membership) throw noSuchMember();
    if (membership.revoked_at !== null) return true;
    // Leaving needs no permission.
    if (!left) requireRank(checked.member, membership.role);
    await requireAnotherOwner(tx, membershipKey, membership);
    if (membership.platform_role === 'owner') {
      // The user became platform owner in the meantime: start again with the lock.
      if (!wasOwner) return false;
      await requireAnotherPlatformOwner(tx, membershipKey);
    }
    await endMembership(tx, deps, membershipKey, now);
    await recordAudit(tx, caller, {
      action: 'member.removed',
      now,
      resource_type: 'member',
      resource_id: user_id,
      metadata: { role: membership.role, left },
    });
    return true;
  });
  if (!isDone) await removeMember(deps, caller, principal, user_id);
}

/** Ends the membership first, so that a later sign-in sees that it has ended. */
async function endMembership(tx: Tx, deps: Deps, membershipKey: MembershipKey, now: Date): Promise<void> {
  await revokeMembership(tx, { ...membershipKey, now });
  await clearLastOrganization(tx, membershipKey);
  await revokeTenantSessions(tx, deps, membershipKey, now);
  await deps.bus.announce(tx, now, [{ topic: 'user', key: membershipKey.user_id }]);
}

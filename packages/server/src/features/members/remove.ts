import { actorOf, isUser, type Principal } from '../../domain/access/principal.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { requireAnotherPlatformOwner } from '../../domain/memberships/last-platform-owner.ts';
import { findMembershipForUpdate, type MembershipKey, revokeMembership } from '../../domain/memberships/queries.ts';
import { requirePermission, requireRank } from '../../domain/memberships/require-permission.ts';
import { revokeSessions } from '../../domain/sessions/queries.ts';
import { lockPlatformOwners } from '../../domain/users/platform-role.ts';
import { clearLastOrganization, isPlatformOwner, lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { noSuchMember } from './describe.ts';
import { lockOwners, requireAnotherOwner } from './owners.ts';

/**
 * DELETE /orgs/:org_id/members/:user_id: the membership ends, and with it their sessions in this organization. Anybody may
 * leave; nobody removes who is above them; the last owner stays, and so does the last seat of the platform owners. 204 again
 * for a membership that has ended, 404 for one that never was.
 */
export async function removeMember(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  const membershipKey = { organization_id: actorOf(principal).organization_id, user_id };
  const left = isUser(principal, user_id);

  const isSettled = await transact(deps.db, async (tx) => {
    // Before any row, as by everybody who may leave the platform without an owner; most people are none.
    const wasOwner = await isPlatformOwner(tx, user_id);
    if (wasOwner) await lockPlatformOwners(tx);
    await lockOwners(tx, membershipKey.organization_id);
    // The user's row before all others, as everywhere: a sign-in that is about to be written holds it too.
    await lockUser(tx, user_id);
    const actor = left ? undefined : await requirePermission(tx, principal, 'members.remove');
    const membership = await findMembershipForUpdate(tx, membershipKey);
    if (!membership) throw noSuchMember();
    if (membership.revoked_at !== null) return true;
    if (actor) requireRank(actor, membership.role);
    await requireAnotherOwner(tx, membershipKey, membership);
    if (membership.platform_role === 'owner') {
      // They have become one since: once more, behind the lock.
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
  if (!isSettled) await removeMember(deps, caller, principal, user_id);
}

/** The membership first, so that a sign-in which comes later sees that it has ended. */
async function endMembership(tx: Tx, deps: Deps, membershipKey: MembershipKey, now: Date): Promise<void> {
  await revokeMembership(tx, { ...membershipKey, now });
  await clearLastOrganization(tx, membershipKey);
  await revokeSessions(tx, membershipKey, now);
  await deps.bus.announce(tx, now, [{ topic: 'user', key: membershipKey.user_id }]);
}

import { actorOf, isUser, type Principal } from '../../domain/access/principal.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { findMembershipForUpdate, revokeMembership, type Seat } from '../../domain/memberships/queries.ts';
import { requireSeatOfOwners } from '../../domain/memberships/seat-of-owners.ts';
import { requireRank, requireStanding } from '../../domain/memberships/standing.ts';
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
  const seat = { organization_id: actorOf(principal).organization_id, user_id };
  const left = isUser(principal, user_id);

  const isSettled = await transact(deps.db, async (tx) => {
    // Before any row, as by everybody who may leave the platform without an owner; most people are none.
    const wasOwner = await isPlatformOwner(tx, user_id);
    if (wasOwner) await lockPlatformOwners(tx);
    await lockOwners(tx, seat.organization_id);
    // The user's row before all others, as everywhere: a sign-in that is about to be written holds it too.
    await lockUser(tx, user_id);
    const actor = left ? undefined : await requireStanding(tx, principal, 'members.remove');
    const membership = await findMembershipForUpdate(tx, seat);
    if (!membership) throw noSuchMember();
    if (membership.revoked_at !== null) return true;
    if (actor) requireRank(actor, membership.role);
    await requireAnotherOwner(tx, seat, membership);
    if (membership.platform_role === 'owner') {
      // They have become one since: once more, behind the lock.
      if (!wasOwner) return false;
      await requireSeatOfOwners(tx, seat);
    }
    await endMembership(tx, deps, seat, now);
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
async function endMembership(tx: Tx, deps: Deps, seat: Seat, now: Date): Promise<void> {
  await revokeMembership(tx, { ...seat, now });
  await clearLastOrganization(tx, seat);
  await revokeSessions(tx, seat, now);
  await deps.bus.announce(tx, now, [{ topic: 'user', key: seat.user_id }]);
}

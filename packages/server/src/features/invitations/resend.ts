import type { Invitation } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockRoles, requireMayAssign } from '../../domain/authorization/assign-roles.ts';
import { requireRank } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { describeInvitation } from '../../domain/invitations/describe.ts';
import { isOpenAlready } from '../../domain/invitations/open.ts';
import { findInvitation, isMember, lockInvitation, updateInvitation } from '../../domain/invitations/queries.ts';
import { conflict, noSuchInvitation } from '../../domain/invitations/refusals.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { countInvitation } from '../../domain/one-time/mail-limit.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { cancelInvitationMail, createToken, senderOf, sendInvitation } from './invitation-mail.ts';

/**
 * POST …/invitations/:id/resend: a new token, valid for seven days, for a pending or expired invitation. The old token
 * becomes invalid, and the caller becomes the inviter.
 */
export async function resend(deps: Deps, caller: Caller, principal: Principal, id: string): Promise<Invitation> {
  const { organization_id } = actorOf(principal);
  const sender = senderOf(principal);
  const now = deps.clock.now();
  const invitation = await findInvitation(deps.db, { id, organization_id, now });
  if (!invitation) throw noSuchInvitation();
  const { email, role, role_ids } = invitation;
  const { token, token_hash, expires_at } = createToken(now);

  const locks = async (tx: Tx) => role_ids.length > 0 && lockRoles(tx, organization_id);
  return transactAs({ deps, caller }, { locks }, async (tx, { member: inviter }) => {
    requireRank(inviter, role);
    if (role_ids.length > 0) await requireMayAssign(tx, principal, role_ids, { allowMissing: true });
    const inviter_email = inviter.email;
    const old = await lockInvitation(tx, { id, organization_id });
    if (!(await updateInvitation(tx, { id, organization_id, ...sender, inviter_email, token_hash, expires_at }))) {
      throw conflict('the invitation has been accepted or revoked');
    }
    if (old) await cancelInvitationMail(tx, old, now);
    if (await isMember(tx, { organization_id, email })) throw conflict('this user is already a member');
    if (await countInvitation(tx, deps, caller, { organization_id, email, now })) {
      await sendInvitation(tx, deps, inviter, { email, role, token, expires_at });
    }
    await recordAudit(tx, caller, {
      action: 'invitation.resent',
      now,
      resource_type: 'invitation',
      resource_id: id,
      metadata: { role },
    });
    return describeInvitation({ ...invitation, expires_at, status: 'pending', inviter_email });
  }).catch((error: unknown) => {
    throw isOpenAlready(error) ? conflict('another invitation to this address is pending') : error;
  });
}

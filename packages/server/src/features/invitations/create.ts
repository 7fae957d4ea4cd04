import { type Invitation, type InvitationRequest, normalizeEmail } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { distinctIds, lockRoles, requireMayAssign } from '../../domain/authorization/assign-roles.ts';
import { requireRank } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { describeInvitation } from '../../domain/invitations/describe.ts';
import { isOpenAlready } from '../../domain/invitations/open.ts';
import { closeExpiredInvitation, insertInvitation, isMember } from '../../domain/invitations/queries.ts';
import { conflict } from '../../domain/invitations/refusals.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { countInvitation } from '../../domain/one-time/mail-limit.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { createToken, senderOf, sendInvitation } from './invitation-mail.ts';

/** POST /orgs/:org_id/invitations: email and role → 201 and a mail. 409 for a member or a pending invitation. */
export async function invite(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  input: InvitationRequest,
): Promise<Invitation> {
  const { organization_id } = actorOf(principal);
  const sender = senderOf(principal);
  const { role } = input;
  const email = normalizeEmail(input.email);
  const now = deps.clock.now();
  const { token, token_hash, expires_at } = createToken(now);
  const role_ids = distinctIds(input.role_ids ?? []);
  const row = { id: uuid(), organization_id, email, role, role_ids, created_at: now, expires_at };

  const locks = async (tx: Tx) => role_ids.length > 0 && lockRoles(tx, organization_id);
  return transactAs({ deps, caller }, { locks }, async (tx, { member: inviter }) => {
    requireRank(inviter, role);
    if (role_ids.length > 0) await requireMayAssign(tx, principal, role_ids);
    await closeExpiredInvitation(tx, { organization_id, email, now });
    await insertInvitation(tx, { ...row, ...sender, inviter_email: inviter.email, token_hash });
    // Checked after the insert, which waits for a concurrent acceptance of another invitation to the same address.
    if (await isMember(tx, { organization_id, email })) throw conflict('email: is already a member');
    if (await countInvitation(tx, deps, caller, { organization_id, email, now })) {
      await sendInvitation(tx, deps, inviter, { email, role, token, expires_at });
    }
    await recordAudit(tx, caller, {
      action: 'invitation.created',
      now,
      resource_type: 'invitation',
      resource_id: row.id,
      metadata: { role, ...(role_ids.length > 0 && { role_ids }) },
    });
    return describeInvitation({ ...row, status: 'pending', inviter_email: inviter.email });
  }).catch((error: unknown) => {
    throw isOpenAlready(error) ? conflict('email: is already invited; resend that invitation') : error;
  });
}

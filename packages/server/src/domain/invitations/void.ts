import type { Tx } from '../../platform/db/connect.ts';
import { callBackMails } from '../mail/queries.ts';
import { invitationMailIdOf } from './invitation-mail-id.ts';
import { revokeInvitationsFrom, revokeInvitationsTo } from './queries.ts';

/** Revokes every open invitation that this user sent and cancels the mails that are still queued. */
export async function voidInvitationsFrom(tx: Tx, user_id: string, now: Date): Promise<void> {
  const revoked = await revokeInvitationsFrom(tx, user_id, now);
  if (revoked.length > 0) await callBackMails(tx, { ids: revoked.map(invitationMailIdOf), now });
}

/** Revokes every open invitation to these organizations, cancels the mails and returns the invitations. */
export async function voidInvitationsTo(tx: Tx, organization_ids: readonly string[], now: Date) {
  const revoked = await revokeInvitationsTo(tx, organization_ids, now);
  if (revoked.length > 0) await callBackMails(tx, { ids: revoked.map(invitationMailIdOf), now });
  return revoked;
}

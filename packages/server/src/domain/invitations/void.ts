import type { Tx } from '../../platform/db/connect.ts';
import { callBackMails } from '../mail/queries.ts';
import { invitationMailIdOf } from './invitation-mail-id.ts';
import { revokeInvitationsFrom } from './queries.ts';

/** Revokes every open invitation that this user sent and cancels the mails that are still queued. */
export async function voidInvitationsFrom(tx: Tx, user_id: string, now: Date): Promise<void> {
  const revoked = await revokeInvitationsFrom(tx, user_id, now);
  if (revoked.length > 0) await callBackMails(tx, { ids: revoked.map(invitationMailIdOf), now });
}

import type { Tx } from '../../platform/db/connect.ts';
import { invitationMailIdOf } from '../invitations/invitation-mail-id.ts';
import { revokeInvitationsFrom, revokeInvitationsTo } from '../invitations/queries.ts';
import { cancelMails } from '../mail/queries.ts';

/**
 * Revokes every open invitation that this user, or a service account that this user created, sent, and cancels the
 * mails that are still queued. If the API keys of these service accounts end too, call this afterwards: a concurrent
 * request with a key either commits before and is seen here, or fails.
 */
export async function voidInvitationsFrom(tx: Tx, user_id: string, now: Date): Promise<void> {
  const revoked = await revokeInvitationsFrom(tx, user_id, now);
  if (revoked.length > 0) await cancelMails(tx, { ids: revoked.map(invitationMailIdOf), now });
}

export async function voidInvitationsTo(tx: Tx, organization_ids: readonly string[], now: Date) {
  const revoked = await revokeInvitationsTo(tx, organization_ids, now);
  if (revoked.length > 0) await cancelMails(tx, { ids: revoked.map(invitationMailIdOf), now });
  return revoked;
}

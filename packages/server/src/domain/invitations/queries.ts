import type { Tx } from '../../platform/db/connect.ts';

/** Found by the inviter's organizations, which have an index. The tokens stay known, so that the links can say so. */
export const revokeInvitationsFrom = (tx: Tx, inviter_id: string, now: Date) =>
  tx
    .updateTable('invitations')
    .set({ revoked_at: now, closed_at: now })
    .where('inviter_id', '=', inviter_id)
    .where(
      'organization_id',
      'in',
      tx.selectFrom('memberships').select('organization_id').where('user_id', '=', inviter_id),
    )
    .where('closed_at', 'is', null)
    .returning(['token_hash', 'expires_at'])
    .execute();

import type { Tx } from '../../platform/db/connect.ts';

/**
 * Finds them by the inviter's organizations, which have an index. The tokens are kept, so that the links can report the
 * revocation.
 */
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

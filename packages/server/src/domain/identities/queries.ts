import type { Tx } from '../../platform/db/connect.ts';

/**
 * Unlinks every identity of a user. Returns those that were active until now; the rows stay for a while, without the
 * data that could be used to sign in.
 */
export const revokeIdentities = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('identities')
    .set({ revoked_at: now, subject: null, email: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'provider'])
    .execute();

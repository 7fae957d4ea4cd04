import type { Tx } from '../../platform/db/connect.ts';

/**
 * Removes every passkey of a user. Returns those that were active until now; the rows stay for a while, without the
 * data that could be used to sign in.
 */
export const revokePasskeys = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('passkeys')
    .set({ revoked_at: now, credential_id: null, public_key: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();

import type { Tx } from '../../platform/db/connect.ts';

/** Every passkey of a user. Returns those that were in force until now; the rows stay for a while, without what could sign anybody in. */
export const revokePasskeys = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('passkeys')
    .set({ revoked_at: now, credential_id: null, public_key: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();

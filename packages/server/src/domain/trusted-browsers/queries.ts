import type { Tx } from '../../platform/db/connect.ts';

/** Revokes every trusted browser of a user and returns them. The rows stay for a while, without the token's hash. */
export const revokeTrustedBrowsers = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('trusted_browsers')
    .set({ revoked_at: now, token_hash: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();

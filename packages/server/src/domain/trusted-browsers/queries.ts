import type { Tx } from '../../platform/db/connect.ts';

/** Every trusted browser of a user. Returns those that were in force until now; the rows stay for a while, without what made the browser trusted. */
export const revokeTrustedBrowsers = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('trusted_browsers')
    .set({ revoked_at: now, token_hash: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();

import type { Db, Tx } from '../../platform/db/connect.ts';

/** Revokes every trusted browser of a user and returns them. The rows stay for a while, without the token's hash. */
export const revokeTrustedBrowsers = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('trusted_browsers')
    .set({ revoked_at: now, token_hash: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();

interface Trust {
  readonly token_hash: Buffer;
  readonly user_id: string;
}

export async function isTrustedBrowserOf(db: Db, { token_hash, user_id }: Trust, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('trusted_browsers')
    .select('id')
    .where('token_hash', '=', token_hash)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

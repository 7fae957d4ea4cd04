import { LIMITS } from '@gatehouse/contract';
import { sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';

/** Every trusted browser of a user. The rows stay for a while, without what made the browser trusted. */
export const revokeTrustedBrowsers = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('trusted_browsers')
    .set({ revoked_at: now, token_hash: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

/** Nobody is told any more that one of these was theirs. The words of the index, so that it is used. */
export async function deleteOldTrustedBrowsers(db: Db, now: Date, limit: number): Promise<number> {
  const ended_before = after(now, -LIMITS.revokedKept);
  const result = await sql`
    delete from trusted_browsers where id in (select id from trusted_browsers
      where coalesce(revoked_at, expires_at) < ${ended_before}::timestamptz limit ${limit})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

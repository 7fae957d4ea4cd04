import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { OneTimeTokens } from '../../platform/db/schema.ts';

export type OneTimeKind = OneTimeTokens['kind'];

export interface OneTimeToken {
  readonly kind: OneTimeKind;
  /** The user's id, or one derived from an address without an account. */
  readonly subject: string;
  readonly user_id: string | null;
  readonly email: string | null;
  readonly token_hash: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** There is one of a kind: the earlier one is gone with the same statement. */
export const upsertOneTimeToken = (tx: Tx, token: OneTimeToken) =>
  tx
    .insertInto('one_time_tokens')
    .values({ ...token, attempts: 0 })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'subject']).doUpdateSet({
        token_hash: token.token_hash,
        user_id: token.user_id,
        email: token.email,
        attempts: 0,
        created_at: token.created_at,
        expires_at: token.expires_at,
      }),
    )
    .execute();

/** Used up by whoever comes first; undefined for everybody else. */
export const consumeOneTimeToken = (tx: Tx, kinds: readonly OneTimeKind[], token_hash: Buffer, now: Date) =>
  tx
    .deleteFrom('one_time_tokens')
    .where('kind', 'in', kinds)
    .where('token_hash', '=', token_hash)
    .where('expires_at', '>', now)
    .returning(['kind', 'user_id', 'email'])
    .executeTakeFirst();

/** What was sent to somebody and must not be good any more. */
export const deleteOneTimeTokens = (tx: Tx, user_id: string, kinds: readonly OneTimeKind[]) =>
  tx.deleteFrom('one_time_tokens').where('subject', '=', user_id).where('kind', 'in', kinds).execute();

export async function deleteExpiredOneTimeTokens(db: Db, now: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from one_time_tokens where (kind, subject) in
      (select kind, subject from one_time_tokens where expires_at < ${now} limit ${limit})`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

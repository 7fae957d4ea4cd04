import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { isUnset } from '../../platform/db/is-unset.ts';
import type { OneTimeTokens } from '../../platform/db/schema.ts';

export type OneTimeKind = OneTimeTokens['kind'];

interface OneTimeToken {
  readonly kind: OneTimeKind;
  /** The user's id, or one derived from an address without an account. */
  readonly subject: string;
  /** Null for what anybody may ask for: to look the user up once more for this column takes time that others do not take. */
  readonly user_id: string | null;
  readonly email: string | null;
  readonly token_hash: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Who may be mailed at this address, and where their events belong: the organization last used, while they are in it. */
export const findAddressee = (db: Db, email: string) =>
  db
    .selectFrom('users as u')
    .leftJoin('memberships as m', (join) =>
      join
        .onRef('m.user_id', '=', 'u.id')
        .onRef('m.organization_id', '=', 'u.last_organization_id')
        .on(isUnset('m.revoked_at')),
    )
    .select(['u.id', 'u.locale', 'm.organization_id'])
    .where('u.email', '=', email)
    .where('u.status', '=', sql.lit('active'))
    .executeTakeFirst();

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

/** Whose it is and what has become of them, before anything is locked, hashed or written. */
export const findOneTimeToken = (db: Db, kinds: readonly OneTimeKind[], token_hash: Buffer, now: Date) =>
  db
    .selectFrom('one_time_tokens as t')
    .innerJoin('users as u', 'u.id', 't.subject')
    .select(['t.kind', 't.subject as user_id', 't.email', 'u.status', 'u.email as account_email'])
    .where('t.kind', 'in', kinds)
    .where('t.token_hash', '=', token_hash)
    .where('t.expires_at', '>', now)
    .executeTakeFirst();

/**
 * Used up by whoever comes first; false for everybody else. Whoever writes the user's row too writes that one before, as
 * every statement does that needs both: so none of them waits for another in a circle.
 */
export async function consumeOneTimeToken(tx: Tx, kind: OneTimeKind, token_hash: Buffer, now: Date): Promise<boolean> {
  const row = await tx
    .deleteFrom('one_time_tokens')
    .where('kind', '=', kind)
    .where('token_hash', '=', token_hash)
    .where('expires_at', '>', now)
    .returning('kind')
    .executeTakeFirst();
  return row !== undefined;
}

/** What was sent to somebody and must not be good any more. */
export const deleteOneTimeTokens = (tx: Tx, user_id: string, kinds: readonly OneTimeKind[]) =>
  tx.deleteFrom('one_time_tokens').where('subject', '=', user_id).where('kind', 'in', kinds).execute();

export const deleteExpiredOneTimeTokens = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'one_time_tokens', where: sql`expires_at < ${now}`, oldest: sql`expires_at`, limit });

import { LIMITS } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { isUnset } from '../../platform/db/is-unset.ts';
import type { OneTimeTokens } from '../../platform/db/schema.ts';
import { type Counter, countEach, fullUntil } from '../../platform/limiter/queries.ts';
import type { Uses } from '../kernel/statements.ts';
import { cancelMails, mailAlong, type NewMail } from '../mail/queries.ts';
import { tokenMailIdOf } from '../mail/token-mail-id.ts';

export type OneTimeKind = OneTimeTokens['kind'];

interface OneTimeToken {
  readonly kind: OneTimeKind;
  /** The user's id, or one derived from an address without an account. */
  readonly subject: string;
  /** Null for tokens that anyone may request: the foreign key check would take time only for existing users. */
  readonly user_id: string | null;
  readonly email: string | null;
  readonly token_hash: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** The active account, and the organization for its audit rows: the last used one, if the user is still a member. */
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

/**
 * There is one token per kind and subject: this replaces the earlier one and cancels its mail. Returns the id that the
 * mail with the new token must have.
 */
export async function upsertOneTimeToken(tx: Tx, { kind, subject, ...token }: OneTimeToken): Promise<string> {
  // Inserts the new token, or locks and returns the earlier one.
  const stored = await tx
    .insertInto('one_time_tokens')
    .values({ kind, subject, ...token, attempts: 0 })
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet({ attempts: 0 }))
    .returning(MAIL_ID_COLUMNS)
    .executeTakeFirstOrThrow();
  const id = tokenMailIdOf(token);
  if (tokenMailIdOf(stored) !== id) {
    await tx
      .updateTable('one_time_tokens')
      .set(token)
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .execute();
    await cancelMailsOf(tx, [stored], token.created_at);
  }
  return id;
}

/** The columns from which the id of the mail is derived. */
const MAIL_ID_COLUMNS = ['token_hash', 'created_at'] as const;

const cancelMailsOf = (tx: Tx, tokens: readonly Pick<OneTimeToken, (typeof MAIL_ID_COLUMNS)[number]>[], now: Date) =>
  cancelMails(tx, { ids: tokens.map(tokenMailIdOf), now });

/** Finds the token and its account without locking or writing. */
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
 * True only for the first caller. Cancels the mail, which a failing transport may have left queued. If the user's row
 * is written too, write it before (see `kernel/lock-order.ts`).
 */
export async function consumeOneTimeToken(tx: Tx, kind: OneTimeKind, token_hash: Buffer, now: Date): Promise<boolean> {
  const row = await tx
    .deleteFrom('one_time_tokens')
    .where('kind', '=', kind)
    .where('token_hash', '=', token_hash)
    .where('expires_at', '>', now)
    .returning(MAIL_ID_COLUMNS)
    .executeTakeFirst();
  if (row) await cancelMailsOf(tx, [row], now);
  return row !== undefined;
}

/** Deletes the tokens and cancels their mails. */
export async function deleteOneTimeTokens(tx: Tx, user_id: string, kinds: readonly OneTimeKind[], now: Date) {
  const deleted = await tx
    .deleteFrom('one_time_tokens')
    .where('subject', '=', user_id)
    .where('kind', 'in', kinds)
    .returning(MAIL_ID_COLUMNS)
    .execute();
  if (deleted.length > 0) await cancelMailsOf(tx, deleted, now);
}

/** Cancels the mail of a token that stays. */
export async function cancelOneTimeMail(tx: Tx, user_id: string, kind: OneTimeKind, now: Date): Promise<void> {
  const tokens = await tx
    .selectFrom('one_time_tokens')
    .select(MAIL_ID_COLUMNS)
    .where('subject', '=', user_id)
    .where('kind', '=', kind)
    .execute();
  if (tokens.length > 0) await cancelMailsOf(tx, tokens, now);
}

export const deleteExpiredOneTimeTokens = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'one_time_tokens', where: sql`expires_at < ${now}`, oldest: sql`expires_at`, limit });

/** Counts the attempt before returning the hash to compare: of concurrent guesses, at most five are checked. */
export const claimAttempt = (db: Db, subject: string, now: Date) =>
  db
    .updateTable('one_time_tokens')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('kind', '=', 'login_code')
    .where('subject', '=', subject)
    .where('expires_at', '>', now)
    .where('attempts', '<', LIMITS.emailCode.attempts)
    .returning(MAIL_ID_COLUMNS)
    .executeTakeFirst();

interface RightCode {
  readonly user_id: string;
  readonly email: string;
  readonly token_hash: Buffer;
  readonly counters: readonly Counter[];
  readonly now: Date;
}

/**
 * Consumes the code for the first caller, while the account is unchanged and attempts are left. Locks the user's row
 * before the code, so that a concurrent password reset waits for this statement, or this one for the reset.
 */
export const claimCode = ({ user_id, email, token_hash, counters, now }: RightCode): RawBuilder<unknown> => sql`
  with locked_user as materialized (
    select id from users
    where id = ${user_id}::uuid and status = 'active' and email = ${email}::text for no key update
  )
  delete from one_time_tokens
  where kind = 'login_code' and subject = (select id from locked_user) and token_hash = ${token_hash}::bytea
    and ${fullUntil(counters, now)} is null
  returning 1`;

interface Notice {
  readonly counter: Counter;
  readonly mail: NewMail;
  readonly now: Date;
}

/**
 * Counts the mail, and queues it if the quota allows. `used_0` is the first of these fragments: the sign-in statement
 * that contains them names them `used_0`, `used_1` (`usedUp` in sign-in/queries.ts).
 */
export const noticeAlong =
  ({ counter, mail, now }: Notice): Uses =>
  (source) => [
    countEach([counter], now, { source }),
    mailAlong(mail, sql`(select from used_0 where count <= ${counter.quota.count}::int) as within_quota`),
  ];

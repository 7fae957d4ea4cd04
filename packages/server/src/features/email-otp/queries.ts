import { LIMITS } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import { mailAlong, type NewMail } from '../../domain/mail/queries.ts';
import type { Uses } from '../../domain/sign-in/queries.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Counter, countEach, fullUntil } from '../../platform/limiter/queries.ts';

/** Counts first and tells afterwards what to compare with: of any number of guesses at once, five are judged. */
export async function claimAttempt(db: Db, subject: string, now: Date): Promise<Buffer | undefined> {
  const row = await db
    .updateTable('one_time_tokens')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('kind', '=', 'login_code')
    .where('subject', '=', subject)
    .where('expires_at', '>', now)
    .where('attempts', '<', LIMITS.emailCode.attempts)
    .returning('token_hash')
    .executeTakeFirst();
  return row?.token_hash;
}

interface RightCode {
  readonly user_id: string;
  readonly email: string;
  readonly token_hash: Buffer;
  readonly counters: readonly Counter[];
  readonly now: Date;
}

/**
 * Uses the code up, for whoever is first, while the account is what it was and wrong codes are left. The user's row is held
 * before the code is, as everywhere else: a reset at the same moment waits for this, or this for the reset.
 */
export const claimCode = ({ user_id, email, token_hash, counters, now }: RightCode): RawBuilder<unknown> => sql`
  with holder as materialized (
    select id from users
    where id = ${user_id}::uuid and status = 'active' and email = ${email}::text for no key update
  )
  delete from one_time_tokens
  where kind = 'login_code' and subject = (select id from holder) and token_hash = ${token_hash}::bytea
    and ${fullUntil(counters, now)} is null
  returning 1`;

interface Notice {
  readonly counter: Counter;
  readonly mail: NewMail;
  readonly now: Date;
}

/**
 * Counts, and queues the mail while the count is within its quota. `used_0` is the name that the statement gives to its
 * first part.
 */
export const noticeAlong =
  ({ counter, mail, now }: Notice): Uses =>
  (source) => [
    countEach([counter], now, { source }),
    mailAlong(mail, sql`(select from used_0 where count <= ${counter.quota.count}::int) as within_quota`),
  ];

import { type RawBuilder, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Mails } from '../../platform/db/schema.ts';
import type { FailedAttempt } from '../../platform/queue/queue.ts';
import type { TemplateName } from './templates/params.ts';

type MailState = Mails['state'];

export interface NewMail {
  id: string;
  template: string;
  locale: string;
  sealed: string;
  created_at: Date;
  expires_at: Date;
  discard: boolean;
}

export const insertMail = (tx: Tx, mail: NewMail) =>
  tx
    .insertInto('mails')
    .values({ ...mail, state: 'queued', next_attempt_at: mail.created_at })
    .execute();

/** `insertMail` as an SQL fragment: queues the mail if `source`, another CTE of the statement, has a row. */
export const mailAlong = (mail: NewMail, source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into mails (id, template, locale, sealed, state, next_attempt_at, expires_at, created_at, discard)
  select ${mail.id}::uuid, ${mail.template}::text, ${mail.locale}::text, ${mail.sealed}::text, 'queued',
    ${mail.created_at}::timestamptz, ${mail.expires_at}::timestamptz, ${mail.created_at}::timestamptz, ${mail.discard}::bool
  where exists (select from ${source})`;

export interface ClaimedMail {
  id: string;
  template: string;
  locale: string;
  sealed: string | null;
  attempts: number;
  expires_at: Date;
  /** The worker discards it instead of sending it. */
  discard: boolean;
}

/** Mails of this template are bound to a transport that may not work. Claimed separately, they never delay others. */
const BOUND_TEMPLATE = 'mail_transport_changed' satisfies TemplateName;

type MailLane = 'regular' | 'bound';

export const laneOf = ({ template }: ClaimedMail): MailLane => (template === BOUND_TEMPLATE ? 'bound' : 'regular');

/** Claims due mails by moving the next attempt to the end of a lease: if the worker dies, they are claimed again. */
export async function claimMails(
  db: Db,
  claim: { now: Date; leased_until: Date; limits: Readonly<Record<MailLane, number>> },
): Promise<ClaimedMail[]> {
  const isDue = sql`state = 'queued' and next_attempt_at <= ${claim.now} and expires_at > ${claim.now}`;
  const { rows } = await sql<ClaimedMail>`
    with due as materialized (
      select id from mails where ${isDue} and template <> ${BOUND_TEMPLATE}
      order by next_attempt_at, id limit ${claim.limits.regular} for update skip locked
    ),
    bound as materialized (
      select id from mails where ${isDue} and template = ${BOUND_TEMPLATE}
      order by next_attempt_at, id limit ${claim.limits.bound} for update skip locked
    )
    update mails set attempts = attempts + 1, next_attempt_at = ${claim.leased_until}
    from (select id from due union all select id from bound) as claimed where mails.id = claimed.id
    returning mails.id, template, locale, sealed, attempts, expires_at, discard`.execute(db);
  return rows;
}

/** Drops mails whose content is no longer valid. A mail under a lease is left to its worker. */
export async function updateExpiredMails(db: Db, { now, limit }: { now: Date; limit: number }): Promise<number> {
  const result = await sql`
    with expired as materialized (
      select id from mails where state = 'queued' and next_attempt_at <= ${now} and expires_at <= ${now}
      limit ${limit} for update skip locked
    )
    update mails set state = 'expired', sealed = null, finished_at = ${now} from expired where mails.id = expired.id`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}

/** While a worker sends a mail, its next attempt is at the end of this lease. No attempt to send takes as long. */
export const LEASE_SECONDS = 60;

/** When a cancelled mail is dropped: not before the lease of a worker ends, and not later than one lease from now. */
const droppedAt = (now: Date) =>
  sql<Date>`least(next_attempt_at, ${now}::timestamptz + ${LEASE_SECONDS}::int * interval '1 second')`;

/** Cancels queued mails whose content has become invalid, except those that a worker is sending now. */
export const cancelMails = (tx: Tx, { ids, now }: { ids: readonly string[]; now: Date }) =>
  tx
    .updateTable('mails')
    .set({ expires_at: now, next_attempt_at: droppedAt(now) })
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .where('state', '=', 'queued')
    .where('expires_at', '>', now)
    .execute();

/** `cancelMails` as an SQL fragment: applies if `source`, another CTE of the statement, has a row. */
export const cancelMailAlong = (id: string, now: Date, source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  update mails set expires_at = ${now}::timestamptz, next_attempt_at = ${droppedAt(now)}
  where id = ${id}::uuid and state = 'queued' and expires_at > ${now}::timestamptz and exists (select from ${source})`;

/** Applies even if the lease expired and another worker claimed the mail, because the mail was sent. */
export const updateSentMail = (db: Db, { id, now }: { id: string; now: Date }) =>
  db
    .updateTable('mails')
    .set({ state: 'sent', sealed: null, finished_at: now, last_error: null })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute();

export const updateFailedMail = (db: Db, { id, attempts, last_error, now }: FailedAttempt & { now: Date }) =>
  db
    .updateTable('mails')
    .set({ state: 'failed', sealed: null, finished_at: now, last_error })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('attempts', '=', attempts)
    .execute();

/** `counted` false: the failure was not caused by the mail, so the attempt is not counted. */
export const updateRetriedMail = (db: Db, retry: FailedAttempt & { next_attempt_at: Date; counted: boolean }) =>
  db
    .updateTable('mails')
    .set({
      attempts: retry.counted ? retry.attempts : retry.attempts - 1,
      // At most the expiry, so that an expired mail is dropped on time.
      next_attempt_at: sql<Date>`least(${retry.next_attempt_at}::timestamptz, expires_at)`,
      last_error: retry.last_error,
    })
    .where('id', '=', retry.id)
    .where('state', '=', 'queued')
    .where('attempts', '=', retry.attempts)
    .execute();

/**
 * For metrics: queued mails and those that ended in the last 30 days. A discarded mail counts as sent: metrics are
 * public, and comparing them before and after a request must not reveal who has an account.
 */
export async function countMails(db: Db): Promise<Record<MailState, number>> {
  const rows = await db
    .selectFrom('mails')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const counts: Record<MailState, number> = { queued: 0, sent: 0, failed: 0, expired: 0 };
  for (const row of rows) counts[row.state] = row.count;
  return counts;
}

const KEPT_SECONDS = 30 * 24 * 3600;

/** Finished mails have no content; they are kept for counts and to inspect failures. */
export const deleteFinishedMails = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'mails',
    where: sql`state <> 'queued' and finished_at < ${after(now, -KEPT_SECONDS)}`,
    oldest: sql`finished_at`,
    limit,
  });

import { type RawBuilder, sql } from 'kysely';
import { IS_LIVE, MARK } from '../../domain/audit/counts/queries.ts';
import type { RelyingParty } from '../../domain/kernel/relying-party.ts';
import { isUsable } from '../../domain/kernel/statements.ts';
import { after } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Schema } from '../../platform/db/schema.ts';

/** Counting stops here, so that a check does not load the database. */
export const MAX_COUNT = 10_000;

export interface Backlog {
  readonly count: number;
  readonly oldest: Date | null;
  /** The most frequent error; null if no mail was attempted. */
  readonly reason: string | null;
}

const backlogOf = async (db: Db, mails: RawBuilder<unknown>): Promise<Backlog> => {
  const { rows } = await sql<Backlog>`
    with backlog as materialized (${mails} limit ${sql.lit(MAX_COUNT)})
    select count(*)::int as count, min(created_at) as oldest, mode() within group (order by last_error) as reason
    from backlog`.execute(db);
  return rows[0]!;
};

/** Mails that were queued before this time and can still be sent. */
export const findWaitingMails = (db: Db, before: Date, now: Date): Promise<Backlog> =>
  backlogOf(
    db,
    sql`select created_at, last_error from mails
      where state = 'queued' and created_at < ${before}::timestamptz and expires_at > ${now}::timestamptz`,
  );

/** Mails that failed, or expired after a failed attempt. Withdrawn mails were never attempted: not included. */
export const findLostMails = (db: Db, since: Date): Promise<Backlog> =>
  backlogOf(
    db,
    sql`select created_at, last_error from mails
      where state <> 'queued' and state in ('failed', 'expired') and finished_at > ${since}::timestamptz and last_error is not null`,
  );

/** Queued mails that are sealed with the key with this id, up to `MAX_COUNT`. */
export async function countMailsUnder(db: Db, key_id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select from mails where state = 'queued' and sealed like ${`v1:${key_id}:%`}
      limit ${sql.lit(MAX_COUNT)}) as found`.execute(db);
  return rows[0]!.count;
}

interface Swept {
  readonly table: keyof Schema;
  readonly column: string;
  /** Seconds that a row is kept after the time in `column`. */
  readonly kept: number;
}

/** Tables that the sweeper deletes from by one indexed time. A delay in these tables means a delay in all tables. */
const SWEPT: readonly Swept[] = [
  { table: 'bus_events', column: 'created_at', kept: 3600 },
  { table: 'mfa_tokens', column: 'kept_until', kept: 0 },
  { table: 'one_time_tokens', column: 'expires_at', kept: 0 },
  { table: 'rate_counters', column: 'resets_at', kept: 0 },
  { table: 'revocations', column: 'expires_at', kept: 0 },
];

interface Overdue {
  readonly table: string;
  readonly count: number;
}

/** Rows that are overdue for deletion by more than `seconds`. */
export async function listOverdue(db: Db, now: Date, seconds: number): Promise<Overdue[]> {
  const counts = SWEPT.map(
    ({ table, column, kept }) => sql`
      select ${sql.lit(table)} as "table", count(*)::int as count from (
        select from ${sql.table(table)} where ${sql.ref(column)} < ${after(now, -kept - seconds)}::timestamptz
        order by ${sql.ref(column)} limit ${sql.lit(MAX_COUNT)}) as found`,
  );
  const { rows } = await sql<Overdue>`${sql.join(counts, sql` union all `)}`.execute(db);
  return rows.filter(({ count }) => count > 0);
}

/** Limit for counting audit rows that are not in the stored counts. Every audit list has to count such rows. */
export const UNCOUNTED = MAX_COUNT * 10;

export async function countUncounted(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ${MARK} select count(*)::int as count from (
      select from audit_events where ${IS_LIVE} limit ${sql.lit(UNCOUNTED)}) as found`.execute(db);
  return rows[0]!.count;
}

export interface Origins {
  /** The number of recent events that came by HTTP. */
  readonly events: number;
  readonly users: number;
  /** The client address of all these events; null if there are several. */
  readonly address: string | null;
}

/** The client addresses of the latest `events` audit rows that came by HTTP, as the service sees them. */
export async function findOrigins(db: Db, since: Date, events: number): Promise<Origins> {
  const { rows } = await sql<{ events: number; users: number; addresses: number; address: string | null }>`
    with latest_events as materialized (
      select ip_address, actor_id from audit_events where ip_address is not null and "timestamp" > ${since}::timestamptz
      order by id desc limit ${events}::int)
    select count(*)::int as events, count(distinct actor_id)::int as users,
      count(distinct ip_address)::int as addresses, min(ip_address) as address from latest_events`.execute(db);
  const { addresses, address, ...counts } = rows[0]!;
  return { ...counts, address: addresses === 1 ? address : null };
}

/** Non-ASCII email addresses, ordered by user id. The rules for ASCII addresses have never changed. */
export const listForeignEmails = (db: Db, after_id: string, limit: number) =>
  db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('status', '<>', 'deleted')
    .where('id', '>', after_id)
    .where(sql<boolean>`octet_length(email) > char_length(email)`)
    .orderBy('id')
    .limit(limit)
    .execute();

interface Stranded {
  /** Users with a passkey of another relying party id. */
  readonly users: number;
  /** Those of them without a password, a linked identity or a usable passkey. */
  readonly without_method: number;
}

/** Counts active users, up to `MAX_COUNT`. */
export async function countStranded(db: Db, relyingParty: RelyingParty): Promise<Stranded> {
  const { rows } = await sql<Stranded>`
    with stranded as materialized (
      select u.id, u.password_hash from users u where u.status = 'active' and u.id in (
        select p.user_id from passkeys p where p.revoked_at is null and not ${isUsable(relyingParty)})
      limit ${sql.lit(MAX_COUNT)}
    )
    select count(*)::int as users, count(*) filter (where s.password_hash is null
      and not exists (select from identities i where i.user_id = s.id and i.revoked_at is null)
      and not exists (select from passkeys p where p.user_id = s.id and p.revoked_at is null and ${isUsable(relyingParty)})
    )::int as without_method
    from stranded s`.execute(db);
  return rows[0]!;
}

import { sql } from 'kysely';
import { IS_LIVE, MARK, SIGN_IN } from '../../domain/audit/counts/queries.ts';
import type { Db } from '../../platform/db/connect.ts';

interface Totals {
  readonly users: number;
  readonly organizations: number;
  readonly queued: number;
  readonly failed: number;
  readonly expired: number;
}

/** The trigger `count_users` maintains the user counts; partial indexes that exclude sent mails count mails. */
export async function countTotals(db: Db): Promise<Totals> {
  const { rows } = await sql<Totals>`
    select (select coalesce(sum(delta), 0)::bigint from user_counts where status <> 'deleted') as users,
      (select count(*) from organizations) as organizations,
      (select count(*) from mails where state = 'queued' and not discard) as queued,
      undelivered.failed, undelivered.expired
    from (
      select count(*) filter (where state = 'failed') as failed, count(*) filter (where state = 'expired') as expired
      from mails where state in ('failed', 'expired') and not discard
    ) as undelivered`.execute(db);
  return rows[0]!;
}

/** About a million sessions; scanning that much takes a fraction of a second. */
const MAX_SCAN_BYTES = 256 * 1024 * 1024;

/**
 * Scans a table of up to `maxScanBytes`; for a larger one, uses the row estimate of the planner. There is no index on
 * `expires_at`, because it would slow down every refresh.
 */
export async function countLiveSessions(
  db: Db,
  now: Date,
  maxScanBytes = MAX_SCAN_BYTES,
): Promise<{ count: number; estimated: boolean }> {
  const live = sql`select from sessions where revoked_at is null and expires_at > ${now}::timestamptz`;
  const { rows: sizes } = await sql<{ bytes: number }>`select pg_relation_size('sessions') as bytes`.execute(db);
  if (sizes[0]!.bytes <= maxScanBytes) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (${live}) as live`.execute(db);
    return { count: rows[0]!.count, estimated: false };
  }
  const { rows } = await sql<Explained>`explain (format json) ${live}`.execute(db);
  return { count: rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'], estimated: true };
}

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }];
}

export interface SignInHour {
  readonly hour: Date;
  readonly succeeded: number;
  readonly failed: number;
}

/** Hours without a sign-in may be missing. Adds rows that are not in the stored counts yet; no row is counted twice. */
export async function listSignInHours(db: Db, { from, before }: { from: Date; before: Date }): Promise<SignInHour[]> {
  const { rows } = await sql<SignInHour>`
    with ${MARK}
    select hour, sum(sign_ins)::bigint as succeeded, sum(failed_sign_ins)::bigint as failed
    from (
      select hour, sign_ins, failed_sign_ins from audit_hours
      where action = '' and hour >= ${from}::timestamptz and hour < ${before}::timestamptz
      union all
      select hour, count(*) filter (where signed_in), count(*) filter (where refused)
      from (
        select date_trunc('hour', "timestamp", 'UTC') as hour, ${SIGN_IN} from audit_events
        where ${IS_LIVE} and "timestamp" >= ${from}::timestamptz and "timestamp" < ${before}::timestamptz
      ) as live group by hour
    ) as parts group by hour`.execute(db);
  return rows;
}

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';

/**
 * A row is included in the stored counts if its transaction is before `counted_before` or its id is at most
 * `counted_to`. Each bound advances in the same transaction as the counts.
 */
export interface Mark {
  readonly counted_before: string;
  readonly counted_to: number;
}

/** Blocks other counters until the transaction ends. Read the mark in a later statement, which sees their commits. */
export const lockMark = (tx: Db) => sql`select from audit_mark for update`.execute(tx);

export interface MarkState extends Mark {
  /** Every transaction before this one has ended. */
  readonly settled: string;
  /** The mark comes from a cluster whose transaction ids are higher than this one's. */
  readonly rewound: boolean;
  /** There are rows whose transaction ids are higher than this cluster's, as after a restore. */
  readonly ahead: boolean;
  /** The row with the highest transaction id is such a row (see `ahead`), and is not counted by id. */
  readonly ahead_uncounted: boolean;
}

export async function findMark(tx: Db): Promise<MarkState> {
  const { rows } = await sql<MarkState>`
    select counted_before, counted_to, pg_snapshot_xmin(now) as settled, counted_before > pg_snapshot_xmin(now) as rewound,
      coalesce(latest.xid >= pg_snapshot_xmax(now), false) as ahead,
      coalesce(latest.xid >= pg_snapshot_xmax(now) and latest.id > counted_to, false) as ahead_uncounted
    from audit_mark cross join pg_current_snapshot() as now
      left join lateral (select xid, id from audit_events order by xid desc limit 1) as latest on true`.execute(tx);
  return rows[0]!;
}

export const updateMark = (tx: Db, { counted_before, counted_to }: Mark) =>
  sql`update audit_mark set counted_before = ${counted_before}::xid8, counted_to = ${counted_to}`.execute(tx);

/** Deletes the stored counts. Until they are built again, all rows are counted on each query. */
export async function deleteCounts(tx: Db): Promise<void> {
  await sql`delete from audit_hours`.execute(tx);
  await updateMark(tx, NOTHING_COUNTED);
}

/** The mark if no rows are counted: no transaction has the id 0. */
export const NOTHING_COUNTED: Mark = { counted_before: '0', counted_to: 0 };

interface Reach {
  readonly first: string | null;
  /** The transaction of the first row beyond the limit; null if there are not that many rows. */
  readonly beyond: string | null;
}

/** Returns the first transaction with uncounted rows, and the one at which `limit` rows are exceeded. */
export async function findReach(tx: Db, from: string, before: string, limit: number): Promise<Reach> {
  const next = sql`select xid from audit_events where xid >= ${from}::xid8 and xid < ${before}::xid8 order by xid`;
  const { rows } = await sql<Reach>`
    select (${next} limit 1) as first, (${next} offset ${sql.lit(limit)} limit 1) as beyond`.execute(tx);
  return rows[0]!;
}

interface Settled {
  readonly greatest_id: number;
  readonly xid: string;
}

/**
 * Returns the greatest id below which no more rows can appear, and a transaction id below those of all later rows. The
 * table lock blocks writers only during the query: the rollback to the savepoint releases it.
 */
export async function findSettled(tx: Db): Promise<Settled> {
  await sql`savepoint settled`.execute(tx);
  await sql`set local lock_timeout = '2s'`.execute(tx);
  await sql`lock table audit_events in share mode`.execute(tx);
  const { rows } = await sql<Settled>`
    select coalesce(max(id), 0) as greatest_id, pg_snapshot_xmin(pg_current_snapshot()) as xid from audit_events`.execute(
    tx,
  );
  await sql`rollback to savepoint settled`.execute(tx);
  return rows[0]!;
}

export async function findIdAfter(tx: Db, id: number, rows: number): Promise<number | undefined> {
  const found = await sql<{ id: number }>`
    select id from audit_events where id > ${id} order by id offset ${sql.lit(rows - 1)} limit 1`.execute(tx);
  return found.rows[0]?.id;
}

/** Adds rows of transactions below `before`, except those that were already counted by `addById`. */
export const addByTransaction = (tx: Db, { counted_before, counted_to }: Mark, before: string) =>
  addHours(tx, sql`xid >= ${counted_before}::xid8 and xid < ${before}::xid8 and id > ${counted_to}`);

/** Adds rows up to the id `to`, except those that were already counted by `addByTransaction`. */
export const addById = (tx: Db, { counted_before, counted_to }: Mark, to: number) =>
  addHours(tx, sql`id > ${counted_to} and id <= ${to} and xid >= ${counted_before}::xid8`);

/**
 * Whether a row is a sign-in by any method that created a session, or one that failed at either factor. A first factor
 * that is followed by an MFA challenge is neither; the challenge counts. Linking an identity is not a sign-in.
 */
export const SIGN_IN = sql`
  outcome = 'success' and not metadata @> '{"mfa_pending": true}' and action in ('auth.login',
    'auth.passkey.login', 'auth.email_otp.succeeded', 'auth.oauth.login', 'auth.sso.login', 'auth.mfa.challenge.succeeded') as signed_in,
  outcome = 'failure' and not metadata @> '{"linking": true}' and action in ('auth.login',
    'auth.passkey.login', 'auth.email_otp.failed', 'auth.oauth.failed', 'auth.sso.login', 'auth.sso.refused', 'auth.mfa.challenge.failed') as refused`;

const addHours = (tx: Db, where: RawBuilder<unknown>) =>
  sql`insert into audit_hours (action, hour, count, sign_ins, failed_sign_ins, least_id, greatest_id)
    select coalesce(action, ''), hour, count(*), count(*) filter (where signed_in), count(*) filter (where refused),
      min(id), max(id)
    from (
      select action, date_trunc('hour', "timestamp", 'UTC') as hour, id, ${SIGN_IN} from audit_events where ${where}
    ) as added
    group by grouping sets ((hour, action), (hour))
    having grouping(action) = 1 or action <> ''
    on conflict (action, hour) do update set count = audit_hours.count + excluded.count,
      sign_ins = audit_hours.sign_ins + excluded.sign_ins,
      failed_sign_ins = audit_hours.failed_sign_ins + excluded.failed_sign_ins,
      least_id = least(audit_hours.least_id, excluded.least_id),
      greatest_id = greatest(audit_hours.greatest_id, excluded.greatest_id)`.execute(tx);

/** The CTE `mark`, which the condition `IS_LIVE` refers to. */
export const MARK: RawBuilder<unknown> = sql`
  mark as materialized (
    select counted_before, counted_to, case counted_before when '0' then '18446744073709551615'::xid8
      else pg_snapshot_xmax(pg_current_snapshot()) end as last
    from audit_mark)`;

/**
 * True for a row that is not in the stored counts. Restored rows may have transaction ids of another cluster, above any
 * id of this one: `xid <= last` excludes them once `addById` has counted them, because scanning them is slow.
 */
export const IS_LIVE: RawBuilder<unknown> = sql`
  xid >= (select counted_before from mark) and xid <= (select last from mark) and id > (select counted_to from mark)`;

/** A CTE: the live rows that match `fit`. */
export const liveRows = (fit: RawBuilder<unknown>): RawBuilder<unknown> => sql`${MARK},
  live as materialized (select id, "timestamp" from audit_events where ${IS_LIVE} and ${fit})`;

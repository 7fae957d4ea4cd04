import { type RawBuilder, sql } from 'kysely';
import { liveRows } from '../../domain/audit/counts/queries.ts';
import { AUDIT_COLUMNS, type AuditRecord, isSeenBy, VISIBILITY, type Visibility } from '../../domain/audit/queries.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { HOUR_MS, hourOf, isBounded, type TimeRange } from './time-range.ts';

interface AuditFilter extends TimeRange {
  /** Only what this organization sees. Left out: all rows. */
  readonly organization_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly action?: string | undefined;
}

type Fragment = RawBuilder<unknown>;

const all = (conditions: readonly (Fragment | false | undefined)[]): Fragment => {
  const given = conditions.filter((condition): condition is Fragment => Boolean(condition));
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
};

const inTime = ({ from, to }: TimeRange): Fragment[] => [
  ...(from ? [sql`"timestamp" >= ${from}`] : []),
  ...(to ? [sql`"timestamp" <= ${to}`] : []),
];

/** Selects the stored counts of one action, or of all actions together (`''`). */
const ofAction = ({ action = '' }: AuditFilter): Fragment => sql`action = ${action}`;

/** Hours that overlap the range. */
const touchedHours = ({ from, to }: TimeRange): Fragment[] => [
  ...(from ? [sql`hour >= ${hourOf(from)}`] : []),
  ...(to ? [sql`hour <= ${to}`] : []),
];

/** Hours that lie entirely inside the range. */
const wholeHours = ({ from, to }: TimeRange): Fragment[] => [
  ...(from ? [sql`hour >= ${from}`] : []),
  ...(to ? [sql`hour <= ${new Date(to.getTime() - HOUR_MS)}`] : []),
];

/** Hours that the range covers only in part. That of `to` always is: `to` is inclusive, the end of an hour is not. */
const edges = ({ from, to }: TimeRange): Date[] => {
  const hours = [...(from && hourOf(from) < from ? [hourOf(from)] : []), ...(to ? [hourOf(to)] : [])];
  return hours.filter((hour, index) => index === 0 || hour.getTime() !== hours[0]!.getTime());
};

const within = (rows: Fragment): Fragment =>
  sql`${rows}.id between edge_hours.least_id and edge_hours.greatest_id
    and ${rows}."timestamp" >= edge_hours.hour and ${rows}."timestamp" < edge_hours.hour + interval '1 hour'`;

/** Lowest and highest id in a time range. Pages are sorted by id, and timestamps do not follow the ids exactly. */
const bounds = (filter: AuditFilter): Fragment => sql`
  bounds as materialized (
    select least(min(least_id), (select min(id) from live)) as low,
      greatest(max(greatest_id), (select max(id) from live)) as high
    from audit_hours where ${all([ofAction(filter), ...touchedHours(filter)])})`;

const BETWEEN_BOUNDS = sql`id between (select low from bounds) and (select high from bounds)`;

const ofOrganization = ({ organization_id, user_id }: AuditFilter): Fragment | undefined =>
  organization_id === undefined ? undefined : isSeenBy(organization_id, user_id);

const matchesFilter = (filter: AuditFilter): Fragment =>
  all([
    ofOrganization(filter) ?? (filter.user_id !== undefined && sql`actor_id = ${filter.user_id}::uuid`),
    filter.action !== undefined && sql`action = ${filter.action}`,
    isBounded(filter) && BETWEEN_BOUNDS,
    ...inTime(filter),
  ]);

/** Adds, without overlap, stored counts of whole hours, rows of the edge hours, and rows not counted yet. */
function totalOfAll(filter: AuditFilter): Fragment {
  const hours = sql`select coalesce(sum(count), 0) from audit_hours where ${all([ofAction(filter), ...wholeHours(filter)])}`;
  const ends = edges(filter);
  if (ends.length === 0) return sql`total as (select (${hours})::bigint + (select count(*) from live) as total)`;
  return sql`
    edge_hours as materialized (
      select hour, least_id, greatest_id from audit_hours where ${ofAction(filter)} and hour in (${sql.join(ends)})),
    total as (
      select (${hours})::bigint
        + (select coalesce(sum(rows), 0)::bigint from edge_hours cross join lateral (
            select count(*) as rows from audit_events
            where ${all([within(sql.ref('audit_events')), filter.action !== undefined && sql`action = ${filter.action}`, ...inTime(filter)])}
          ) as counted)
        + (select count(*) from live where not exists (select from edge_hours where ${within(sql.ref('live'))}))
        as total)`;
}

/** Stored counts are of all actors and organizations together. One actor's or organization's rows have an index. */
const isStored = ({ user_id, organization_id }: AuditFilter): boolean =>
  user_id === undefined && organization_id === undefined;

const totalByIndex = (filter: AuditFilter): Fragment =>
  sql`total as (select count(*) as total from audit_events where ${matchesFilter(filter)})`;

interface PageQuery extends AuditFilter {
  readonly offset: number;
  readonly limit: number;
}

type ListedRow = AuditRecord & { readonly visibility: Visibility };
type Listed = { total: number } & (ListedRow | { id: null });

/**
 * Returns a page and the total, from one statement, so that both come from the same snapshot. Unused filters are left
 * out of the SQL text: each combination gets its own query plan.
 */
export async function listAuditRows(db: Db, query: PageQuery): Promise<{ rows: ListedRow[]; total: number }> {
  const live = liveRows(all([query.action !== undefined && sql`action = ${query.action}`, ...inTime(query)]));
  const parts = [
    ...(isStored(query) || isBounded(query) ? [live] : []),
    ...(isBounded(query) ? [bounds(query)] : []),
    isStored(query) ? totalOfAll(query) : totalByIndex(query),
  ];
  const { rows } = await sql<Listed>`
    with ${sql.join(parts)},
    page as materialized (
      select id as page_id, "timestamp" as page_time from audit_events where ${matchesFilter(query)}
      order by id desc offset ${query.offset} limit ${query.limit})
    select total, event.* from total left join page on true
      left join lateral (
        select ${AUDIT_COLUMNS}, ${VISIBILITY} as visibility from audit_events where id = page_id and "timestamp" = page_time limit 1) as event on true
    order by page_id desc`.execute(db);
  return { rows: rows.filter((row): row is ListedRow & { total: number } => row.id !== null), total: rows[0]!.total };
}

/** Returns the lowest and highest id of a time range, or undefined if it has no rows. */
export async function findIdBounds(tx: Tx, range: TimeRange): Promise<{ low: number; high: number } | undefined> {
  const { rows } = await sql<{ low: number | null; high: number | null }>`
    with ${liveRows(all(inTime(range)))}, ${bounds(range)} select low, high from bounds`.execute(tx);
  const { low, high } = rows[0]!;
  return low === null || high === null ? undefined : { low, high };
}

interface Batch extends TimeRange {
  readonly after: number;
  readonly last: number;
}

const BATCH_ROWS = 1_000;

export async function listAuditBatch(tx: Tx, { after, last, ...range }: Batch): Promise<AuditRecord[]> {
  const { rows } = await sql<AuditRecord>`
    select ${AUDIT_COLUMNS} from audit_events where ${all([sql`id > ${after}`, sql`id <= ${last}`, ...inTime(range)])}
    order by id limit ${sql.lit(BATCH_ROWS)}`.execute(tx);
  return rows;
}

/** A slow client leaves the transaction idle. `STALL_TIMEOUT_MS` aborts a stalled client before this timeout does. */
export const allowIdle = (tx: Tx) => sql`set local idle_in_transaction_session_timeout = '3min'`.execute(tx);

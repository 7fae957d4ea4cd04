import { type RawBuilder, sql } from 'kysely';
import { liveRows } from '../../domain/audit/counts/queries.ts';
import { AUDIT_COLUMNS, type AuditRecord, isSeenBy, VISIBILITY, type Visibility } from '../../domain/audit/queries.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { pageLimit } from '../../platform/db/deep-page.ts';
import { HOUR_MS, hourOf, isBounded, type TimeRange } from './time-range.ts';

interface AuditFilter extends TimeRange {
  /** Restricts the list to rows that are visible to this organization. Undefined: all rows. */
  readonly seen_by?: string | undefined;
  readonly user_id?: string | undefined;
  readonly action?: string | undefined;
  readonly organization_id?: string | undefined;
  readonly outcome?: string | undefined;
  readonly resource_type?: string | undefined;
  readonly resource_id?: string | undefined;
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

/** Selects the stored counts of one action, or of all actions together, which are stored as `''`. */
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

/** Hours that the range covers in part. Always includes the hour of `to`: `to` is inclusive, an hour's end is not. */
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

const ofReader = ({ seen_by, user_id }: AuditFilter): Fragment | undefined => {
  if (seen_by !== undefined) return isSeenBy(seen_by, user_id);
  return user_id === undefined ? undefined : sql`actor_id = ${user_id}::uuid`;
};

const matchesFilter = (filter: AuditFilter): Fragment =>
  all([
    ofReader(filter),
    filter.action !== undefined && sql`action = ${filter.action}`,
    filter.organization_id !== undefined && sql`organization_id = ${filter.organization_id}::uuid`,
    filter.resource_type !== undefined && sql`resource_type = ${filter.resource_type}`,
    filter.resource_id !== undefined && sql`resource_id = ${filter.resource_id}`,
    filter.outcome !== undefined && sql`outcome = ${filter.outcome}`,
    // The partial index of failures is used only if the statement itself excludes successes.
    filter.outcome !== undefined && filter.outcome !== SUCCESS && FAILED,
    isBounded(filter) && BETWEEN_BOUNDS,
    ...inTime(filter),
  ]);

const SUCCESS = 'success';
const FAILED = sql`outcome <> ${sql.lit(SUCCESS)}`;

/** Whether an index finds the rows of this filter. The stored counts, by action and hour, cannot count them. */
const isSelective = ({ outcome, ...filter }: AuditFilter): boolean =>
  [filter.seen_by, filter.user_id, filter.organization_id, filter.resource_type, filter.resource_id].some(
    (value) => value !== undefined,
  ) ||
  (outcome !== undefined && outcome !== SUCCESS);

/** Adds, without overlap, stored counts of whole hours, rows of the edge hours, and rows not counted yet. */
function totalOfAll(filter: AuditFilter, name: 'total' | 'of_all'): Fragment {
  const total = sql.id(name);
  const hours = sql`select coalesce(sum(count), 0) from audit_hours where ${all([ofAction(filter), ...wholeHours(filter)])}`;
  const ends = edges(filter);
  if (ends.length === 0) return sql`${total} as (select (${hours})::bigint + (select count(*) from live) as total)`;
  return sql`
    edge_hours as materialized (
      select hour, least_id, greatest_id from audit_hours where ${ofAction(filter)} and hour in (${sql.join(ends)})),
    ${total} as (
      select (${hours})::bigint
        + (select coalesce(sum(rows), 0)::bigint from edge_hours cross join lateral (
            select count(*) as rows from audit_events
            where ${all([within(sql.ref('audit_events')), filter.action !== undefined && sql`action = ${filter.action}`, ...inTime(filter)])}
          ) as counted)
        + (select count(*) from live where not exists (select from edge_hours where ${within(sql.ref('live'))}))
        as total)`;
}

function totalOf(filter: AuditFilter): Fragment {
  if (isSelective(filter))
    return sql`total as (select count(*) as total from audit_events where ${matchesFilter(filter)})`;
  if (filter.outcome === undefined) return totalOfAll(filter, 'total');
  // Successes are counted as all rows minus the failures, which are few and have an index.
  const failed = all([matchesFilter({ ...filter, outcome: undefined }), FAILED]);
  return sql`${totalOfAll(filter, 'of_all')},
    total as (select of_all.total - (select count(*) from audit_events where ${failed}) as total from of_all)`;
}

interface PageQuery extends AuditFilter {
  readonly offset: number;
  readonly limit: number;
}

type ListedRow = AuditRecord & { readonly visibility: Visibility };
type Listed = { total: number } & (ListedRow | { id: null });

/** Reads page and total in one statement, so from one snapshot. Omits unused filters: each set has its own plan. */
export async function listAuditRows(db: Db, query: PageQuery): Promise<{ rows: ListedRow[]; total: number }> {
  const live = liveRows(all([query.action !== undefined && sql`action = ${query.action}`, ...inTime(query)]));
  const parts = [
    ...(!isSelective(query) || isBounded(query) ? [live] : []),
    ...(isBounded(query) ? [bounds(query)] : []),
    totalOf(query),
  ];
  const { rows } = await sql<Listed>`
    with ${sql.join(parts)},
    page as materialized (
      select id as page_id, "timestamp" as page_time from audit_events where ${matchesFilter(query)}
      order by id desc offset ${query.offset} limit ${pageLimit(query, sql`select total from total`)})
    select total, event.* from total left join page on true
      left join lateral (
        select ${AUDIT_COLUMNS}, ${VISIBILITY} as visibility from audit_events where id = page_id and "timestamp" = page_time limit 1) as event on true
    order by page_id desc`.execute(db);
  return { rows: rows.filter((row): row is ListedRow & { total: number } => row.id !== null), total: rows[0]!.total };
}

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

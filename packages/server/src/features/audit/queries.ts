import { type RawBuilder, type Selectable, sql } from 'kysely';
import { liveRows } from '../../domain/audit/counts/queries.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { AuditEvents } from '../../platform/db/schema.ts';
import { HOUR, hourOf, isBounded, type TimeRange } from './time-range.ts';

export type AuditRecord = Omit<Selectable<AuditEvents>, 'xid'>;

interface AuditFilter extends TimeRange {
  readonly user_id?: string | undefined;
  readonly action?: string | undefined;
}

type Fragment = RawBuilder<unknown>;

const COLUMNS = sql.raw(
  `id, event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type, resource_id, ip_address,
    user_agent, request_id, metadata, outcome`,
);

const all = (conditions: readonly (Fragment | false | undefined)[]): Fragment => {
  const asked = conditions.filter((condition): condition is Fragment => Boolean(condition));
  return asked.length === 0 ? sql`true` : sql.join(asked, sql` and `);
};

const inTime = ({ from, to }: TimeRange): Fragment[] => [
  ...(from ? [sql`"timestamp" >= ${from}`] : []),
  ...(to ? [sql`"timestamp" <= ${to}`] : []),
];

/** Of the kept counts: an action's, or those of all together. */
const kept = ({ action = '' }: AuditFilter): Fragment => sql`action = ${action}`;

/** Hours that the range touches. */
const touched = ({ from, to }: TimeRange): Fragment[] => [
  ...(from ? [sql`hour >= ${hourOf(from)}`] : []),
  ...(to ? [sql`hour <= ${to}`] : []),
];

/** Hours that lie in the range as a whole. */
const whole = ({ from, to }: TimeRange): Fragment[] => [
  ...(from ? [sql`hour >= ${from}`] : []),
  ...(to ? [sql`hour <= ${new Date(to.getTime() - HOUR)}`] : []),
];

/** The hours in which it begins and ends. An end is never that of its hour: there is always a moment after it. */
const edges = ({ from, to }: TimeRange): Date[] => {
  const hours = [...(from && hourOf(from) < from ? [hourOf(from)] : []), ...(to ? [hourOf(to)] : [])];
  return hours.filter((hour, index) => index === 0 || hour.getTime() !== hours[0]!.getTime());
};

const within = (rows: Fragment): Fragment =>
  sql`${rows}.id between edges.least_id and edges.greatest_id
    and ${rows}."timestamp" >= edges.hour and ${rows}."timestamp" < edges.hour + interval '1 hour'`;

/** Between which ids the rows of a time range lie: pages are sorted by id, and times are not. */
const bounds = (filter: AuditFilter): Fragment => sql`
  bounds as materialized (
    select least(min(least_id), (select min(id) from live)) as low,
      greatest(max(greatest_id), (select max(id) from live)) as high
    from audit_hours where ${all([kept(filter), ...touched(filter)])})`;

const BETWEEN_BOUNDS = sql`id between (select low from bounds) and (select high from bounds)`;

const fits = (filter: AuditFilter): Fragment =>
  all([
    filter.user_id !== undefined && sql`actor_id = ${filter.user_id}::uuid`,
    filter.action !== undefined && sql`action = ${filter.action}`,
    isBounded(filter) && BETWEEN_BOUNDS,
    ...inTime(filter),
  ]);

/** Whole hours are kept, the two at the edges are counted by id, and rows that are not kept yet one by one; none twice. */
function totalOfAll(filter: AuditFilter): Fragment {
  const hours = sql`select coalesce(sum(count), 0) from audit_hours where ${all([kept(filter), ...whole(filter)])}`;
  const ends = edges(filter);
  if (ends.length === 0) return sql`total as (select (${hours})::bigint + (select count(*) from live) as total)`;
  return sql`
    edges as materialized (
      select hour, least_id, greatest_id from audit_hours where ${kept(filter)} and hour in (${sql.join(ends)})),
    total as (
      select (${hours})::bigint
        + (select coalesce(sum(rows), 0)::bigint from edges cross join lateral (
            select count(*) as rows from audit_events
            where ${all([within(sql.ref('audit_events')), filter.action !== undefined && sql`action = ${filter.action}`, ...inTime(filter)])}
          ) as counted)
        + (select count(*) from live where not exists (select from edges where ${within(sql.ref('live'))}))
        as total)`;
}

const totalOfActor = (filter: AuditFilter): Fragment =>
  sql`total as (select count(*) as total from audit_events where ${fits(filter)})`;

interface Asked extends AuditFilter {
  readonly offset: number;
  readonly limit: number;
}

type Listed = { total: number } & (AuditRecord | { id: null });

/**
 * A page and the number of all rows, in one statement, so that they tell of the same moment. Filters that are not asked for
 * are not in its text: each combination is planned for itself.
 */
export async function listAuditRows(db: Db, asked: Asked): Promise<{ rows: AuditRecord[]; total: number }> {
  const live = liveRows(all([asked.action !== undefined && sql`action = ${asked.action}`, ...inTime(asked)]));
  const parts = [
    ...(asked.user_id === undefined || isBounded(asked) ? [live] : []),
    ...(isBounded(asked) ? [bounds(asked)] : []),
    asked.user_id === undefined ? totalOfAll(asked) : totalOfActor(asked),
  ];
  const { rows } = await sql<Listed>`
    with ${sql.join(parts)},
    page as materialized (
      select id as page_id, "timestamp" as page_time from audit_events where ${fits(asked)}
      order by id desc offset ${asked.offset} limit ${asked.limit})
    select total, event.* from total left join page on true
      left join lateral (
        select ${COLUMNS} from audit_events where id = page_id and "timestamp" = page_time limit 1) as event on true
    order by page_id desc`.execute(db);
  return { rows: rows.filter((row): row is AuditRecord & { total: number } => row.id !== null), total: rows[0]!.total };
}

/** Where the rows of a time range begin and end by id; undefined: there are none. */
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

const BATCH = 1_000;

/** The next thousand in the order of their ids. */
export async function listAuditBatch(tx: Tx, { after, last, ...range }: Batch): Promise<AuditRecord[]> {
  const { rows } = await sql<AuditRecord>`
    select ${COLUMNS} from audit_events where ${all([sql`id > ${after}`, sql`id <= ${last}`, ...inTime(range)])}
    order by id limit ${sql.lit(BATCH)}`.execute(tx);
  return rows;
}

/** A client that reads slowly leaves its transaction idle; who stops reading is cut off by us, before this. */
export const allowIdle = (tx: Tx) => sql`set local idle_in_transaction_session_timeout = '3min'`.execute(tx);

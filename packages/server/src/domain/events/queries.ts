import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { type AuditRecord, isSeenBy, VISIBILITY, type Visibility } from '../audit/queries.ts';

/** The position of a row in the stream. Rows up to `old_to` have the xid 0 here and are ordered by id. */
export interface Position {
  readonly xid: string;
  readonly id: number;
}

export interface StreamState {
  /** Identifies the current order of the stream, in cursors. Null until the order has been determined. */
  readonly epoch: string | null;
  readonly place: string | null;
  /** Rows up to this id are from an import, a restore or an earlier version of the service. */
  readonly old_to: number;
  /** Every transaction before this one has ended. */
  readonly settled: string;
  /** The last event for which deliveries were inserted. */
  readonly sent_xid: string;
  readonly sent_id: number;
}

export async function findStream(db: Db): Promise<StreamState> {
  const { rows } = await sql<StreamState>`
    select epoch, place, old_to, sent_xid, sent_id, pg_snapshot_xmin(pg_current_snapshot()) as settled
    from event_stream`.execute(db);
  return rows[0]!;
}

/** Blocks other transactions that change the stream. Read the state in a new statement, which sees their commits. */
export const lockStream = (tx: Tx) => sql`select from event_stream for update`.execute(tx);

export const updateStream = (
  tx: Tx,
  { epoch, place, old_to, sent_xid }: { epoch: string; place: string; old_to: number; sent_xid: string },
) =>
  sql`update event_stream set epoch = ${epoch}::uuid, place = ${place}::text, old_to = ${old_to},
    sent_xid = ${sent_xid}::xid8, sent_id = 0`.execute(tx);

export const updateSent = (tx: Tx, { xid, id }: Position) =>
  sql`update event_stream set sent_xid = ${xid}::xid8, sent_id = ${id}`.execute(tx);

/** Makes the next start of the service determine the order of the stream again. */
export const forgetStream = (tx: Tx) => sql`update event_stream set place = null`.execute(tx);

/** Identifies the cluster and database that assign transaction ids: differs after a restore, not after a failover. */
export async function findPlace(db: Db): Promise<string> {
  const { rows: may } = await sql<{ cluster: boolean; oid: number }>`
    select has_function_privilege('pg_control_system()', 'execute') as cluster, oid::bigint as oid
    from pg_database where datname = current_database()`.execute(db);
  const { cluster, oid } = may[0]!;
  if (!cluster) return `/${oid}`;
  const { rows } = await sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`.execute(db);
  return `${rows[0]!.id}/${oid}`;
}

/** Whether an action matches one of the patterns, an array: `*`, an action, or a prefix that ends in `.*`. */
export const matches = (action: RawBuilder<unknown>, patterns: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from unnest(${patterns}) as p (pattern) where pattern in ('*', ${action})
    or right(pattern, 2) = '.*' and starts_with(${action}, left(pattern, -1)))`;

/** Selects rows after a position whose transactions, and all earlier ones, have ended. Order: transaction, then id. */
export const isAfter = (
  { xid, id }: Position,
  { settled, old_to }: Pick<StreamState, 'settled' | 'old_to'>,
): RawBuilder<unknown> =>
  sql`xid >= ${xid}::xid8 and xid < ${settled}::xid8 and (xid > ${xid}::xid8 or id > ${id}) and id > ${old_to}`;

export type EventRecord = Omit<AuditRecord, 'ip_address' | 'user_agent' | 'request_id'> & {
  readonly visibility: Visibility;
};

export const EVENT_COLUMNS = sql.raw(
  'id, event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type, resource_id, metadata, outcome',
);

interface Scan {
  /** Undefined: the rows of all organizations. */
  readonly organization_id: string | undefined;
  /** Undefined: all types. */
  readonly types: readonly string[] | undefined;
  readonly limit: number;
}

interface Scanned {
  readonly rows: EventRecord[];
  /** The last row that was scanned. Undefined: there are no more rows. */
  readonly last: Position | undefined;
}

export async function scanOldEvents(db: Db, after_id: number, old_to: number, options: Scan): Promise<Scanned> {
  const { rows, last } = await scan(db, options, sql`id > ${after_id} and id <= ${old_to}`, sql`id`);
  return { rows, last: last && { xid: '0', id: last.id } };
}

export const scanEvents = (db: Db, after: Position, state: StreamState, options: Scan): Promise<Scanned> =>
  scan(db, options, isAfter(after, state), sql`xid, id`);

/** How many rows a request with `types` scans: a page may have fewer than `limit` events although more follow. */
const MAX_SCANNED = 10_000;

async function scan(
  db: Db,
  { organization_id, types, limit }: Scan,
  where: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<Scanned> {
  const count = types === undefined ? limit : MAX_SCANNED;
  const seen = organization_id === undefined ? sql`true` : isSeenBy(organization_id);
  const isWanted = types === undefined ? sql`true` : matches(sql`action`, sql`${types}::text[]`);
  const { rows } = await sql<EventRecord & { xid: string; wanted: boolean; found: number }>`
    with next as materialized (
      select row_number() over () as place, count(*) over () as found, * from (
        select ${EVENT_COLUMNS}, xid, ${VISIBILITY} as visibility from audit_events where ${where} and ${seen}
        order by ${order} limit ${count}
      ) as row
    )
    select * from (select *, ${isWanted} as wanted from next) as row
    where wanted or place = found order by place limit ${limit + 1}`.execute(db);
  const wanted = rows.filter((row) => row.wanted).slice(0, limit);
  const isFull = wanted.length === limit;
  const isEnd = !isFull && (rows[0]?.found ?? 0) < count;
  return { rows: wanted, last: isEnd ? undefined : (isFull ? wanted : rows).at(-1) };
}

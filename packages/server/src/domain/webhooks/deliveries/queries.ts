import { LIMITS } from '@gatehouse/contract';
import { type Selectable, sql } from 'kysely';
import { after } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { deleteSome } from '../../../platform/db/delete-some.ts';
import type { WebhookDeliveries } from '../../../platform/db/schema.ts';
import { VISIBILITY } from '../../audit/queries.ts';
import {
  EVENT_COLUMNS,
  type EventRecord,
  isAfter,
  matches,
  type Position,
  type StreamState,
} from '../../events/queries.ts';

const COLUMNS = [
  'id',
  'webhook_id',
  'event_id',
  'audit_id',
  'event_at',
  'type',
  'status',
  'attempts',
  'last_status',
  'last_error',
  'next_attempt_at',
  'created_at',
  'delivered_at',
] as const;

export type DeliveryRow = Pick<Selectable<WebhookDeliveries>, (typeof COLUMNS)[number]>;

/** The oldest transaction whose events may still need deliveries; null if no webhook has any to collect. */
export async function findOldestSpan(db: Db): Promise<string | null> {
  const { rows } = await sql<{ xmin: string | null }>`
    select min(pg_snapshot_xmin(since)) as xmin from webhook_spans`.execute(db);
  return rows[0]!.xmin;
}

interface MatchedEvent {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly audit_id: number;
  readonly event_at: Date;
  readonly type: string;
}

interface MatchedBatch {
  readonly events: MatchedEvent[];
  /** The last row of the batch, or undefined if there are no rows. */
  readonly last: Position | undefined;
  readonly rows: number;
}

/** Whether the webhook `w` gets the row `b`. */
const COLLECTS = sql`w.deleted_at is null and ${matches(sql`b.action`, sql`w.events`)} and exists (
  select from webhook_spans s where s.webhook_id = w.id and s.opened_by <> b.xid
    and not pg_visible_in_snapshot(b.xid, s.since) and (s.until is null or pg_visible_in_snapshot(b.xid, s.until)))`;

/**
 * The next rows of the trail, with the webhooks that get them: those of the row's organization, and those of the
 * platform. `lateral` finds them by index for each row. A join would compare all rows with all matches if the planner
 * expects few rows, as it does in a generic plan.
 */
export async function matchEvents(
  tx: Tx,
  position: Position,
  state: Pick<StreamState, 'settled' | 'old_to'>,
  limit: number,
): Promise<MatchedBatch> {
  const { rows } = await sql<{ xid: string; audit_id: number; rows: number } & (MatchedEvent | { webhook_id: null })>`
    with batch as materialized (
      select row_number() over () as place, count(*) over () as rows, * from (
        select xid, id, event_id, "timestamp", organization_id, action, ${VISIBILITY} as visibility from audit_events
        where ${isAfter(position, state)} order by xid, id limit ${limit}
      ) as row
    )
    select b.xid, b.rows, m.webhook_id, b.event_id, b.id as audit_id, b."timestamp" as event_at, b.action as type
    from batch b left join lateral (
      select w.id as webhook_id from webhooks w
      where w.organization_id = b.organization_id and b.visibility <> 'hidden' and ${COLLECTS}
      union all
      select w.id as webhook_id from webhooks w where w.organization_id is null and ${COLLECTS}
    ) as m on true
    where m.webhook_id is not null or b.place = b.rows order by b.place`.execute(tx);
  const end = rows.at(-1);
  return {
    events: rows.flatMap(({ xid, rows, ...event }) => (event.webhook_id === null ? [] : [event])),
    last: end && { xid: end.xid, id: end.audit_id },
    rows: end?.rows ?? 0,
  };
}

type NewDelivery = Pick<
  DeliveryRow,
  'id' | 'webhook_id' | 'event_id' | 'audit_id' | 'event_at' | 'type' | 'created_at'
>;

/** Inserts deliveries that are due immediately. */
export async function insertDeliveries(tx: Tx, rows: readonly NewDelivery[]): Promise<void> {
  const column = <K extends keyof NewDelivery>(name: K) => rows.map((row) => row[name]);
  await sql`
    insert into webhook_deliveries (id, webhook_id, event_id, audit_id, event_at, type, next_attempt_at, created_at)
    select id, webhook_id, event_id, audit_id, event_at, type, created_at, created_at
    from unnest(${column('id')}::uuid[], ${column('webhook_id')}::uuid[], ${column('event_id')}::uuid[],
      ${column('audit_id')}::bigint[], ${column('event_at')}::timestamptz[], ${column('type')}::text[],
      ${column('created_at')}::timestamptz[])
      as delivery (id, webhook_id, event_id, audit_id, event_at, type, created_at)`.execute(tx);
}

/** Deletes closed spans whose events have all been inserted. */
export const deletePassedSpans = (tx: Tx, before: string) =>
  sql`delete from webhook_spans where until is not null and pg_snapshot_xmax(until) <= ${before}::xid8`.execute(tx);

export interface ClaimedDelivery extends Pick<DeliveryRow, 'id' | 'webhook_id' | 'event_id' | 'audit_id' | 'event_at'> {
  readonly type: string;
  readonly created_at: Date;
  /** The number of attempts since the last manual retry, including this one. */
  readonly attempts: number;
  readonly url: string;
  readonly organization_id: string | null;
  readonly failing: boolean;
}

interface Claim {
  readonly now: Date;
  readonly leased_until: Date;
  readonly limits: { readonly working: number; readonly failing: number };
  /** The number of attempts of this process that are running, by webhook. */
  readonly running: ReadonlyMap<string, number>;
  /** The most attempts of one webhook that run at the same time. */
  readonly perWebhook: { readonly working: number; readonly failing: number };
}

/**
 * Claims due deliveries for this worker by moving the next attempt to the end of a lease. Each webhook gets its first
 * delivery before another gets its second, so that a long queue of one webhook does not delay the others. Webhooks that
 * are disabled or whose organization is suspended are passed over: their deliveries wait.
 */
export async function claimDeliveries(
  db: Db,
  { now, leased_until, limits, running, perWebhook }: Claim,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with recursive waiting as (
      (select webhook_id from webhook_deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select (select webhook_id from webhook_deliveries where status = 'pending' and webhook_id > waiting.webhook_id
        order by webhook_id limit 1) from waiting where webhook_id is not null
    ),
    busy as (select * from unnest(${[...running.keys()]}::uuid[], ${[...running.values()]}::int[]) as b (webhook_id, count)),
    due as (
      select d.id, w.failing_since is not null as failing, d.next_attempt_at,
        coalesce(busy.count, 0) + row_number() over (partition by w.id order by d.next_attempt_at, d.id) as place
      from waiting join webhooks w on w.id = waiting.webhook_id
      left join organizations o on o.id = w.organization_id left join busy on busy.webhook_id = w.id
      cross join lateral (
        select id, next_attempt_at from webhook_deliveries
        where webhook_id = w.id and status = 'pending' and next_attempt_at <= ${now} order by next_attempt_at, id
        limit greatest(0, case when w.failing_since is null then ${perWebhook.working}::int else ${perWebhook.failing}::int end
          - coalesce(busy.count, 0))
      ) as d
      where w.enabled and w.deleted_at is null and o.suspended_at is null
    ),
    chosen as (
      (select id from due where not failing order by place, next_attempt_at limit ${limits.working})
      union all
      (select id from due where failing order by place, next_attempt_at limit ${limits.failing})
    ),
    locked as materialized (
      select id from webhook_deliveries where id in (select id from chosen) and status = 'pending'
        and next_attempt_at <= ${now} order by id for update skip locked
    )
    update webhook_deliveries d set attempts = d.attempts + 1, next_attempt_at = ${leased_until}
    from locked, webhooks w where d.id = locked.id and w.id = d.webhook_id
    returning d.id, d.webhook_id, d.event_id, d.audit_id, d.event_at, d.type, d.created_at,
      d.attempts - d.attempts_before as attempts, w.url, w.organization_id, w.failing_since is not null as failing`.execute(
    db,
  );
  return rows;
}

/** The audit row of a delivery; undefined if its month has been archived. */
export async function findEvent(db: Db, audit_id: number, event_at: Date): Promise<EventRecord | undefined> {
  const { rows } = await sql<EventRecord>`
    select ${EVENT_COLUMNS}, ${VISIBILITY} as visibility from audit_events
    where id = ${audit_id} and "timestamp" = ${event_at}::timestamptz`.execute(db);
  return rows[0];
}

interface Attempted {
  readonly id: string;
  readonly now: Date;
  readonly last_status: number | null;
}

/** Applies even if the lease expired and another worker claimed the delivery, because the receiver has it. */
export const updateDelivered = (tx: Tx, { id, now, last_status }: Attempted) =>
  tx
    .updateTable('webhook_deliveries')
    .set({ status: 'delivered', delivered_at: now, last_attempt_at: now, last_status, last_error: null })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute();

/** `next_attempt_at` null: no attempt follows. Returns false if another worker has claimed the delivery meanwhile. */
export async function updateUndelivered(
  tx: Tx,
  attempt: Attempted & { attempts: number; last_error: string; next_attempt_at: Date | null; counted: boolean },
): Promise<boolean> {
  const { next_attempt_at } = attempt;
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({
      last_status: attempt.last_status,
      last_error: attempt.last_error,
      ...(attempt.counted ? { last_attempt_at: attempt.now } : { attempts: sql<number>`attempts - 1` }),
      ...(next_attempt_at ? { next_attempt_at } : { status: 'failed' as const }),
    })
    .where('id', '=', attempt.id)
    .where('status', '=', 'pending')
    .where(sql`attempts - attempts_before`, '=', attempt.attempts)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes a delivery due now and restarts its retry schedule. Returns undefined if the webhook has no such delivery. */
export const updateRetriedNow = (
  tx: Tx,
  { id, webhook_id, now }: { id: string; webhook_id: string; now: Date },
): Promise<DeliveryRow | undefined> =>
  tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', next_attempt_at: now, attempts_before: sql<number>`attempts`, delivered_at: null })
    .where('id', '=', id)
    .where('webhook_id', '=', webhook_id)
    .returning(COLUMNS)
    .executeTakeFirst();

export const findDelivery = (tx: Tx, id: string): Promise<DeliveryRow> =>
  tx.selectFrom('webhook_deliveries').select(COLUMNS).where('id', '=', id).executeTakeFirstOrThrow();

interface DeliverySearch {
  readonly webhook_id: string;
  readonly status?: DeliveryRow['status'] | undefined;
}

const deliveriesOf = (db: Db, { webhook_id, status }: DeliverySearch) => {
  const rows = db.selectFrom('webhook_deliveries').where('webhook_id', '=', webhook_id);
  return status === undefined ? rows : rows.where('status', '=', status);
};

export const listDeliveries = (
  db: Db,
  { limit, offset, ...search }: DeliverySearch & { limit: number; offset: number },
): Promise<DeliveryRow[]> =>
  deliveriesOf(db, search)
    .select(COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

export async function countDeliveries(db: Db, search: DeliverySearch): Promise<number> {
  const { count } = await deliveriesOf(db, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Ends pending deliveries of deleted webhooks, or of one: claims then skip them. Returns how many, up to `limit`. */
export async function updateDeletedFailed(db: Db, limit: number, webhook_id?: string): Promise<number> {
  const isOne = webhook_id === undefined ? sql`true` : sql`w.id = ${webhook_id}::uuid`;
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'failed' where status = 'pending' and id = any (array(
      select d.id from webhooks w cross join lateral (
        select id from webhook_deliveries where webhook_id = w.id and status = 'pending'
        order by next_attempt_at, id limit ${limit}::int
      ) as d where w.deleted_at is not null and ${isOne} limit ${limit}::int
    ))`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export const deleteOldDeliveries = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'webhook_deliveries',
    where: sql`created_at < ${after(now, -LIMITS.webhook.deliveriesKept)}`,
    oldest: sql`created_at`,
    limit,
  });

export async function countPending(db: Db): Promise<{ pending: number }> {
  const { count } = await db
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return { pending: count };
}

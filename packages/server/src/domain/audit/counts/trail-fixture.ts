import { NIL_UUID } from '@gatehouse/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import { countAuditRows } from './count.ts';

export interface Happening {
  readonly timestamp: Date | string;
  readonly action?: string;
  readonly actor_id?: string | null;
  /** Of another cluster, perhaps. Left out: the transaction that writes it. */
  readonly xid?: string;
}

/** Straight into the trail, all in one transaction, in this order. */
export async function insertEvents(db: Db, events: readonly Happening[]): Promise<void> {
  const texts = (pick: (event: Happening) => string | null | undefined) => events.map((event) => pick(event) ?? null);
  await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
      resource_id, metadata, outcome, xid)
    select gen_random_uuid(), moment::timestamptz, ${NIL_UUID}, actor::uuid, 'user', coalesce(action, 'auth.login'), 'test',
      'x', '{}', 'success', coalesce(xid::xid8, pg_current_xact_id())
    from unnest(${texts(({ timestamp }) => new Date(timestamp).toISOString())}::text[], ${texts(({ actor_id }) => actor_id)}::text[],
      ${texts(({ action }) => action)}::text[], ${texts(({ xid }) => xid)}::text[])
      with ordinality as given (moment, actor, action, xid, place) order by place`.execute(db);
}

/** A step of the sweep; false when it was the last. */
export const countOnce = (db: Db, rowsAtOnce?: number): Promise<boolean> =>
  db.transaction().execute((tx) => countAuditRows(tx, rowsAtOnce));

/** The sweep, to its end. */
export async function countAll(db: Db, rowsAtOnce?: number): Promise<void> {
  for (let steps = 0; await countOnce(db, rowsAtOnce); steps++) {
    if (steps > 1_000) throw new Error('the counting does not come to an end');
  }
}

export const markOf = (db: Db) => db.selectFrom('audit_mark').selectAll().executeTakeFirstOrThrow();

/** What is kept of each hour and action, and what the rows themselves say. */
export async function compareCounts(db: Db) {
  const kept = await sql`select action, hour, count, least_id, greatest_id from audit_hours order by 1, 2`.execute(db);
  const true_ =
    await sql`select coalesce(action, '') as action, hour, count(*) as count, min(id) as least_id, max(id) as greatest_id
    from (select *, date_trunc('hour', "timestamp", 'UTC') as hour from audit_events) as rows
    group by grouping sets ((hour, action), (hour)) order by 1, 2`.execute(db);
  return { kept: kept.rows, true: true_.rows };
}

import { NIL_UUID } from '@gatehouse/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import { countAuditRows } from './count.ts';
import { SIGN_IN } from './queries.ts';

export interface Happening {
  readonly timestamp: Date | string;
  readonly action?: string;
  readonly actor_id?: string | null;
  readonly outcome?: 'success' | 'failure';
  readonly organization_id?: string;
  readonly resource_type?: string;
  readonly resource_id?: string;
  readonly metadata?: object;
  /** The id of the transaction that wrote the row, possibly in another cluster. Default: the inserting transaction. */
  readonly xid?: string;
}

export async function insertEvents(db: Db, events: readonly Happening[]): Promise<void> {
  const texts = (pick: (event: Happening) => string | null | undefined) => events.map((event) => pick(event) ?? null);
  await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
      resource_id, metadata, outcome, xid)
    select gen_random_uuid(), moment::timestamptz, coalesce(organization::uuid, ${NIL_UUID}), actor::uuid, 'user',
      coalesce(action, 'auth.login'), coalesce(kind, 'test'), coalesce(about, 'x'), coalesce(metadata, '{}')::jsonb, coalesce(outcome, 'success'), coalesce(xid::xid8, pg_current_xact_id())
    from unnest(${texts(({ timestamp }) => new Date(timestamp).toISOString())}::text[], ${texts(({ actor_id }) => actor_id)}::text[],
      ${texts(({ action }) => action)}::text[], ${texts(({ xid }) => xid)}::text[], ${texts(({ outcome }) => outcome)}::text[],
      ${texts(({ metadata }) => metadata && JSON.stringify(metadata))}::text[],
      ${texts(({ organization_id }) => organization_id)}::text[], ${texts(({ resource_type }) => resource_type)}::text[],
      ${texts(({ resource_id }) => resource_id)}::text[])
      with ordinality as given (moment, actor, action, xid, outcome, metadata, organization, kind, about, place) order by place`.execute(
    db,
  );
}

/** One step of the sweep; returns false if it was the last one. */
export const countOnce = (db: Db, rowsPerStep?: number): Promise<boolean> =>
  db.transaction().execute((tx) => countAuditRows(tx, rowsPerStep));

/** Waits for transactions of other databases: rows are counted by transaction id, which all databases share. */
async function waitForOthers(db: Db): Promise<void> {
  const { rows } = await sql<{ mark: string }>`select pg_current_xact_id()::xid::text as mark`.execute(db);
  const older = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname <> current_database() and backend_xid is not null and age(backend_xid) > age(${rows[0]!.mark}::xid)`;
  for (let tries = 0; (await older.execute(db)).rows[0]!.count > 0; tries++) {
    if (tries > 1_000) throw new Error('a transaction of another test does not come to an end');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function countAll(db: Db, rowsPerStep?: number): Promise<void> {
  await waitForOthers(db);
  for (let steps = 0; await countOnce(db, rowsPerStep); steps++) {
    if (steps > 1_000) throw new Error('the counting does not come to an end');
  }
}

export const markOf = (db: Db) => db.selectFrom('audit_mark').selectAll().executeTakeFirstOrThrow();

export async function compareCounts(db: Db) {
  const kept = await sql`select action, hour, count, sign_ins, failed_sign_ins, least_id, greatest_id
    from audit_hours order by 1, 2`.execute(db);
  const true_ = await sql`select coalesce(action, '') as action, hour, count(*) as count,
      count(*) filter (where signed_in) as sign_ins, count(*) filter (where refused) as failed_sign_ins,
      min(id) as least_id, max(id) as greatest_id
    from (select action, id, date_trunc('hour', "timestamp", 'UTC') as hour, ${SIGN_IN} from audit_events) as rows
    group by grouping sets ((hour, action), (hour)) order by 1, 2`.execute(db);
  return { kept: kept.rows, true: true_.rows };
}

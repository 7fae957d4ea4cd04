import { sql } from 'kysely';
import type { Db, Tx } from '../db/connect.ts';
import { deleteSome } from '../db/delete-some.ts';

interface BusRow {
  topic: string;
  key: string;
  created_at: Date;
}

export const insertBusEvents = (tx: Tx, rows: BusRow[]) => tx.insertInto('bus_events').values(rows).execute();

/**
 * The rows that were not visible in snapshot $1. Ids do not follow the commit order, snapshots do: no row is skipped
 * and none is returned twice. `rewound`: this database has seen fewer transactions than the one that $1 is from.
 */
export const LIST_SINCE = `
  select pg_current_snapshot()::text as snapshot,
    pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot) as rewound,
    coalesce((select json_agg(json_build_object('topic', topic, 'key', key) order by id) from bus_events
      where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)), '[]') as events`;

/** NOTIFY carries no data: it only makes the other processes query the new events. */
export const LISTEN = 'listen gatehouse';
export const NOTIFY = "select pg_notify('gatehouse', '')";

export const FIND_START = 'select pg_current_snapshot()::text as snapshot';

export const deleteOldBusEvents = (db: Db, before: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'bus_events', where: sql`created_at < ${before}`, oldest: sql`created_at`, limit });

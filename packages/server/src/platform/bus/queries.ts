import { sql } from 'kysely';
import type { Db, Tx } from '../db/connect.ts';

export interface BusRow {
  topic: string;
  key: string;
  created_at: Date;
}

export const insertBusEvents = (tx: Tx, rows: BusRow[]) => tx.insertInto('bus_events').values(rows).execute();

/**
 * All rows of transactions that were not yet finished at the last look, and where the next look must begin. A row's id
 * says nothing about when it commits, the snapshot does: rows may come twice, none is skipped.
 */
export const LIST_SINCE = `
  select pg_snapshot_xmin(pg_current_snapshot())::text as next,
    coalesce((select json_agg(json_build_object('id', id, 'topic', topic, 'key', key) order by id)
      from bus_events where xid >= $1::xid8), '[]') as events`;

/** NOTIFY carries nothing: it only says that it is time to look. */
export const LISTEN = 'listen gatehouse';
export const NOTIFY = "select pg_notify('gatehouse', '')";

export const FIND_START = 'select pg_snapshot_xmin(pg_current_snapshot())::text as next';

export async function deleteOldBusEvents(db: Db, before: Date, limit: number): Promise<number> {
  const result = await sql`
    delete from bus_events where id in (select id from bus_events where created_at < ${before} limit ${limit})`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';

/** Milliseconds since 1970; `xid` is null for rows from before the column was there. */
export type RevocationRow = readonly [sid: string, revoked_at: number, expires_at: number, xid: number | null];

interface Read {
  /** What this statement has seen. */
  readonly snapshot: string;
  /** Different after a restart, a crash or a failover of the database, and for any other database. */
  readonly identity: string;
  readonly rows: readonly RevocationRow[];
}

const milliseconds = (column: string): RawBuilder<unknown> =>
  sql`(extract(epoch from ${sql.ref(column)}) * 1000)::bigint`;

/**
 * The database, the start of its server, and its last recovery from a crash, which resets these statistics: the id of a
 * transaction that was rolled back just before a crash may be used again after it.
 */
const IDENTITY = sql`concat_ws(' ', (select oid from pg_database where datname = current_database()),
  extract(epoch from pg_postmaster_start_time()), (select extract(epoch from stats_reset) from pg_stat_wal))`;

/** One row with a JSON list, which costs the driver far less than a row for each. */
const read = async (db: Db, page: RawBuilder<unknown>): Promise<Read> => {
  const { rows } = await sql<Read>`
    select pg_current_snapshot()::text as snapshot, ${IDENTITY} as identity, coalesce((
      select json_agg(json_build_array(sid, ${milliseconds('revoked_at')}, ${milliseconds('expires_at')},
        xid::text::bigint)) from (${page}) as page), '[]') as rows`.execute(db);
  return rows[0]!;
};

/** A page of all rows in the order of their ids. Rows that are added meanwhile may be missed. */
export const listRevocations = (db: Db, { after, now, limit }: { after: string; now: Date; limit: number }) =>
  read(
    db,
    sql`select sid, revoked_at, expires_at, xid from revocations
      where sid > ${after}::uuid and expires_at > ${now}::timestamptz order by sid limit ${limit}::int`,
  );

interface Since {
  /** What was seen before. */
  readonly seen: string;
  /** The last row of the page before: transaction and id. */
  readonly after: readonly [xid: number, sid: string];
  /** The snapshot of the first page; null for the first page itself. */
  readonly until: string | null;
  readonly limit: number;
}

/**
 * A page of the rows that `seen` has not seen. A row with a lower id, or an earlier time, may become visible later, so neither
 * says what is new. A snapshot does: it names every transaction that had not ended when it was taken.
 */
export const listRevocationsSince = (db: Db, { seen, after: [xid, sid], until, limit }: Since) =>
  read(
    db,
    sql`select sid, revoked_at, expires_at, xid from revocations
      where xid >= pg_snapshot_xmin(${seen}::pg_snapshot) and not pg_visible_in_snapshot(xid, ${seen}::pg_snapshot)
        and (xid, sid) > (${String(xid)}::xid8, ${sid}::uuid)
        and (${until}::text is null or pg_visible_in_snapshot(xid, ${until}::pg_snapshot))
      order by xid, sid limit ${limit}::int`,
  );

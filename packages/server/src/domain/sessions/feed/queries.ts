import { NIL_UUID } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import { hasEndedOverlap } from '../../machines/queries.ts';

export interface FeedRow {
  /** For a revocation, the session id; for a change of roles, its key: a hash that names whose tokens become stale. */
  readonly id: string;
  /** The transaction that added the row. */
  readonly xid: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly json: string;
}

const LINE = /^(\S+) (\d+) (\d+) (.+)$/;

/** Parses one line of a page. Parsing all of them at once would block the event loop for too long. */
export function readRow(line: string): FeedRow {
  const [, id, xid, expires, json] = LINE.exec(line)!;
  return { id: id!, xid: Number(xid), expires: Number(expires), json: json! };
}

interface Read {
  readonly snapshot: string;
  /** Different after a restart, a crash or a failover of the database, and for any other database. */
  readonly identity: string;
  /** Revocations, for {@link readRow}. */
  readonly lines: readonly string[];
  /** Changes of roles, one per key. For {@link readRow}. */
  readonly refreshes: readonly string[];
  /** Committed changes of roles, and keys past their overlap, that are not published yet. */
  readonly pending: boolean;
}

const written = (column: string): RawBuilder<unknown> =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Formatted by the database: formatting times blocks the event loop. Rows without `xid` are older than any cursor. */
const ROW = sql`concat_ws(' ', sid, coalesce(xid, '0'::xid8), (extract(epoch from expires_at) * 1000)::bigint,
  format('{"sid":"%s","revoked_at":"%s","expires_at":"%s"}', sid, ${written('revoked_at')}, ${written('expires_at')}))`;

/**
 * The database, the start of its server, and its last recovery from a crash, which resets these statistics: the id of a
 * transaction that was rolled back just before a crash may be used again after it.
 */
const IDENTITY = sql`concat_ws(' ', (select oid from pg_database where datname = current_database()),
  extract(epoch from pg_postmaster_start_time()), (select extract(epoch from stats_reset) from pg_stat_wal))`;

/** Reads all entries as one text in one row, which is much cheaper for the driver than one row per entry. */
const read = async (
  db: Db,
  now: Date,
  page: RawBuilder<unknown>,
  refreshes = sql`select null where false`,
): Promise<Read> => {
  const { rows } = await sql<{
    snapshot: string;
    identity: string;
    text: string | null;
    stale: string | null;
    pending: boolean;
  }>`
    select pg_current_snapshot()::text as snapshot, ${IDENTITY} as identity, (
      select string_agg(${ROW}, E'\\n')
      from (${page}) as page) as text, (
      select string_agg(line, E'\\n') from (${refreshes}) as changes (line)) as stale,
      (exists (select from refreshes where before is null) or ${hasEndedOverlap(now)}) as pending`.execute(db);
  const { text, stale, ...rest } = rows[0]!;
  return { ...rest, lines: text?.split('\n') ?? [], refreshes: stale?.split('\n') ?? [] };
};

/** The latest entry of each key, among those that match the condition. */
const refreshesWhere = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select distinct on (key) concat_ws(' ', key, xid, (extract(epoch from expires_at) * 1000)::bigint,
    format('{"key":"%s","before":%s,"expires_at":"%s"}', key, before, ${written('expires_at')}))
  from refreshes where before is not null and ${condition} order by key, before desc`;

/** A page of revocations by id; the first page has all changes of roles too. May miss concurrently added rows. */
export const listRevocations = (db: Db, { after, now, limit }: { after: string; now: Date; limit: number }) =>
  read(
    db,
    now,
    sql`select sid, revoked_at, expires_at, xid from revocations
      where sid > ${after}::uuid and expires_at > ${now}::timestamptz order by sid limit ${limit}::int`,
    after === NIL_UUID ? refreshesWhere(sql`expires_at > ${now}::timestamptz`) : undefined,
  );

interface Since {
  /** The snapshot of the previous read. */
  readonly seen: string;
  /** The last row of the previous page. */
  readonly after: Pick<FeedRow, 'xid' | 'id'>;
  /** The snapshot of the first page; null for the first page itself. */
  readonly until: string | null;
  readonly now: Date;
  readonly limit: number;
}

/**
 * A page of the rows that `seen` has not seen. Neither ids nor times tell what is new, because a row with a lower id or
 * an earlier time may become visible later. A snapshot names every transaction that was running when it was taken.
 */
export const listRevocationsSince = (db: Db, { seen, after: { xid, id: sid }, until, now, limit }: Since) =>
  read(
    db,
    now,
    sql`select sid, revoked_at, expires_at, xid from revocations
      where xid >= pg_snapshot_xmin(${seen}::pg_snapshot) and not pg_visible_in_snapshot(xid, ${seen}::pg_snapshot)
        and (xid, sid) > (${String(xid)}::xid8, ${sid}::uuid)
        and (${until}::text is null or pg_visible_in_snapshot(xid, ${until}::pg_snapshot))
      order by xid, sid limit ${limit}::int`,
    until === null
      ? refreshesWhere(sql`xid >= pg_snapshot_xmin(${seen}::pg_snapshot)
          and not pg_visible_in_snapshot(xid, ${seen}::pg_snapshot)`)
      : undefined,
  );

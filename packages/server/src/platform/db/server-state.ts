import { sql } from 'kysely';
import { type Db, LIMITS } from './connect.ts';
import { isLeaseTaken, SERVED } from './lease.ts';

/** The clock of the server. Nothing in this file needs more than any role may read: `doctor` asks it. */
export async function findServerTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]!.now;
}

/** The major version, such as 18. */
export async function serverVersion(db: Db): Promise<number> {
  const { rows } = await sql<{
    version: number;
  }>`select current_setting('server_version_num')::int / 10000 as version`.execute(db);
  return rows[0]!.version;
}

/** Those that the connection does not have, ours or anybody's. */
export async function listMissingLimits(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${Object.keys(LIMITS)}::text[]) with ordinality as limits (name, place)
    where current_setting(name) = '0' order by place`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether the connection is encrypted, and how; behind a pooler that of the pooler. */
export async function findEncryption(db: Db): Promise<string | null> {
  const { rows } = await sql<{
    version: string | null;
  }>`select version from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
  return rows[0]?.version ?? null;
}

/** In bytes. */
export async function findDatabaseSize(db: Db): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]!.size;
}

export interface Connections {
  /** How many this role may open here, with all others. */
  readonly most: number;
  /** What says so when it is less than the server as a whole allows. */
  readonly bound: 'server' | 'role' | 'database';
  /** Held now by everybody but Gatehouse. */
  readonly others: number;
}

/** The setting of PostgreSQL 16 is not there in 15. Limits of a role or a database are -1 when there is none. */
export async function findConnections(db: Db): Promise<Connections> {
  const { rows } = await sql<{ server: number; role: number; database: number; others: number }>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
      (select rolconnlimit from pg_roles where rolname = current_user) as role,
      (select datconnlimit from pg_database where datname = current_database()) as database,
      (select count(*)::int from pg_stat_activity where datname is not null
        and application_name !~ '^gatehouse (server|tool) '
        and not (datname = current_database() and application_name like 'gatehouse%')) as others`.execute(db);
  const { server, role, database, others } = rows[0]!;
  const bounds = [
    ['server', server],
    ['role', role],
    ['database', database],
  ] as const;
  const [bound, most] = bounds
    .filter(([, limit]) => limit >= 0)
    .reduce((least, next) => (next[1] < least[1] ? next : least));
  // Those of others count against the server alone.
  return { most, bound, others: bound === 'server' ? others : 0 };
}

const SERVING = 'gatehouse bus';
/** Seconds. */
const SILENCE = 30;

/** What a process that serves calls the connection of its bus. */
export const servingName = (mark: string): string => `${SERVING} ${mark}`.trimEnd();

interface Serving {
  readonly mark: string;
  readonly pid: number;
  /** Null: it is on the same machine, or this role may not know. */
  readonly address: string | null;
  /** It has asked nothing for longer than a process that serves is silent. */
  readonly silent: boolean;
}

/**
 * The processes that serve this database: each holds one connection for its bus, and asks something every second. A pooler
 * keeps the name for a while that a connection of its own had last, and a machine that is lost leaves one that nobody uses: those are silent.
 */
export async function listServing(db: Db, silence = SILENCE): Promise<Serving[]> {
  const { rows } = await sql<Omit<Serving, 'mark'> & { name: string }>`
    select application_name as name, pid, host(client_addr) as address,
      coalesce(state_change < clock_timestamp() - make_interval(secs => ${silence}), false) as silent
    from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${SERVING})`.execute(db);
  return rows.map(({ name, ...seen }) => ({ mark: name.slice(SERVING.length).trim(), ...seen }));
}

/** Whether some process serves this database now, here or elsewhere. Behind a pooler each says so every ten seconds. */
export const isServed = async (db: Db, pooled: boolean): Promise<boolean> =>
  (pooled && (await isLeaseTaken(db, SERVED))) || (await listServing(db)).some(({ silent }) => !silent);

export interface Archiving {
  readonly mode: string;
  readonly last_archived_at: Date | null;
  readonly last_failed_at: Date | null;
  readonly standbys: number;
}

/** What is known of the write-ahead log being kept elsewhere. */
export async function findArchiving(db: Db): Promise<Archiving> {
  const { rows } = await sql<Archiving>`
    select current_setting('archive_mode') as mode, last_archived_time as last_archived_at, last_failed_time as last_failed_at,
      (select count(*)::int from pg_stat_replication) as standbys
    from pg_stat_archiver`.execute(db);
  return rows[0]!;
}

export interface LongTransaction {
  readonly pid: number;
  readonly since: Date;
}

/** The oldest transaction that is still open; null: none that this role may see. */
export async function findOldestTransaction(db: Db): Promise<LongTransaction | null> {
  const { rows } = await sql<LongTransaction>`select pid, xact_start as since from pg_stat_activity
    where xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
    order by xact_start limit 1`.execute(db);
  return rows[0] ?? null;
}

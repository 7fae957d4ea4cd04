import { sql } from 'kysely';
import { type Db, LIMITS } from './connect.ts';
import { isLeaseTaken, SERVED } from './lease.ts';

/** The clock of the server. Any role may run the queries of this file, which `doctor` uses. */
export async function findServerTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]!.now;
}

export async function serverVersion(db: Db): Promise<number> {
  const { rows } = await sql<{
    version: number;
  }>`select current_setting('server_version_num')::int / 10000 as version`.execute(db);
  return rows[0]!.version;
}

export async function listMissingLimits(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${Object.keys(LIMITS)}::text[]) with ordinality as limits (name, place)
    where current_setting(name) = '0' order by place`.execute(db);
  return rows.map(({ name }) => name);
}

/** The TLS version of the connection, or null; behind a pooler, that of the pooler's connection. */
export async function findEncryption(db: Db): Promise<string | null> {
  const { rows } = await sql<{
    version: string | null;
  }>`select version from pg_stat_ssl where pid = pg_backend_pid()`.execute(db);
  return rows[0]?.version ?? null;
}

/** The size of the database in bytes. */
export async function findDatabaseSize(db: Db): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  return rows[0]!.size;
}

export interface Connections {
  /** The maximum number of connections that this role can open. Other programs may use some of them. */
  readonly most: number;
  /** What imposes the maximum. */
  readonly bound: 'server' | 'role' | 'database';
  /** Connections open now that are not Gatehouse's. */
  readonly others: number;
}

/** `reserved_connections` does not exist before PostgreSQL 16. Limits of a role or database are -1 if unset. */
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
    .reduce((lowest, next) => (next[1] < lowest[1] ? next : lowest));
  // Connections of others count only against the limit of the server.
  return { most, bound, others: bound === 'server' ? others : 0 };
}

const SERVING = 'gatehouse bus';
/** In seconds: a serving process sends a query every second. */
const SILENCE_SECONDS = 30;

/** The application_name of a serving process's bus connection. */
export const servingName = (mark: string): string => `${SERVING} ${mark}`.trimEnd();

interface Serving {
  readonly mark: string;
  readonly pid: number;
  /** Null if the process is on the same machine as the database, or this role may not see it. */
  readonly address: string | null;
  /** The process has sent no query for longer than a serving process ever pauses. */
  readonly silent: boolean;
}

/**
 * The processes that serve this database: each sends a query every second on its bus connection. An entry is silent if
 * a pooler keeps the name of an earlier connection, or if the machine of the process was lost.
 */
export async function listServing(db: Db, silenceSeconds = SILENCE_SECONDS): Promise<Serving[]> {
  const { rows } = await sql<Omit<Serving, 'mark'> & { name: string }>`
    select application_name as name, pid, host(client_addr) as address,
      coalesce(state_change < clock_timestamp() - make_interval(secs => ${silenceSeconds}), false) as silent
    from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${SERVING})`.execute(db);
  return rows.map(({ name, ...seen }) => ({ mark: name.slice(SERVING.length).trim(), ...seen }));
}

/** Whether any process serves this database now. Behind a pooler, each one renews a lease every ten seconds. */
export const isServed = async (db: Db, pooled: boolean): Promise<boolean> =>
  (pooled && (await isLeaseTaken(db, SERVED))) || (await listServing(db)).some(({ silent }) => !silent);

export interface Archiving {
  readonly mode: string;
  readonly last_archived_at: Date | null;
  readonly last_failed_at: Date | null;
  readonly standbys: number;
}

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

/** The oldest open transaction, or null if this role can see none. */
export async function findOldestTransaction(db: Db): Promise<LongTransaction | null> {
  const { rows } = await sql<LongTransaction>`select pid, xact_start as since from pg_stat_activity
    where xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
    order by xact_start limit 1`.execute(db);
  return rows[0] ?? null;
}

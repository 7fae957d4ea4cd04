import pg from 'pg';
import { PORT } from './postmaster-file.ts';
import { isRunning } from './process-state.ts';
import type { Site } from './site.ts';

/** Advisory locks are per database. This database always exists and is never cloned, dropped or renamed. */
const LOCK_DATABASE = 'postgres';
/** "gate" in ASCII, to be distinct from the program's own locks. */
const LOCK_CLASS = 0x67617465;
const USERS = 1;
const SERVER = 2;

/** The connection whose advisory locks mark this process as a user of the database. */
export interface LockConnection {
  client: pg.Client;
  ended: Promise<void>;
}

export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

export function serviceConnection(site: Site, host: string): Connection {
  return { host, port: PORT, user: site.name, password: site.password, database: site.name };
}

export async function openLockConnection(site: Site, host: string): Promise<LockConnection> {
  const client = new pg.Client({
    ...serviceConnection(site, host),
    database: LOCK_DATABASE,
    application_name: `${site.name} ${site.role} ${process.pid}`,
    // Explicit, because pg would otherwise read both from PG… variables.
    ssl: false,
    options: '-c statement_timeout=0 -c idle_session_timeout=0',
    connectionTimeoutMillis: 5000,
  });
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
  // A lost connection is handled by the supervisor through `ended`; without a listener it would end our process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
  return { client, ended };
}

async function callLock(lockConnection: LockConnection, fn: string, lock: number): Promise<boolean> {
  const { rows } = await lockConnection.client.query<{ ok: boolean }>(`select ${fn}($1::int, $2::int) as ok`, [
    LOCK_CLASS,
    lock,
  ]);
  return rows[0]?.ok === true;
}

/** Returns false if the last user is stopping the database. */
export async function joinUsers(lockConnection: LockConnection): Promise<boolean> {
  return callLock(lockConnection, 'pg_try_advisory_lock_shared', USERS);
}

/** Returns true if no other process uses the database; none can join from then on. */
export async function leaveUsers(lockConnection: LockConnection): Promise<boolean> {
  await lockConnection.client.query('select pg_advisory_unlock_all()');
  return callLock(lockConnection, 'pg_try_advisory_lock', USERS);
}

export async function becomeServer(lockConnection: LockConnection): Promise<boolean> {
  return callLock(lockConnection, 'pg_try_advisory_lock', SERVER);
}

/** The pid of the server process, and whether it runs: a killed one keeps its lock for some milliseconds. */
export async function findServer(lockConnection: LockConnection): Promise<{ pid: number; alive: boolean } | undefined> {
  const { rows } = await lockConnection.client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
     where l.locktype = 'advisory' and l.granted and l.classid = $1::int::oid and l.objid = $2::int::oid`,
    [LOCK_CLASS, SERVER],
  );
  const pid = Number(/ (\d+)$/.exec(rows[0]?.application_name ?? '')?.[1]);
  return pid > 0 ? { pid, alive: await isRunning(pid) } : undefined;
}

export async function ensureServiceDatabase(lockConnection: LockConnection, name: string): Promise<void> {
  const { rowCount } = await lockConnection.client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount) return;
  await lockConnection.client.query(`create database ${name}`).catch((error: { code?: string }) => {
    // A concurrent first start created the database.
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
}

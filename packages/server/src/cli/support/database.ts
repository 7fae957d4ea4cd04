import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Hints } from '@gatehouse/embedded-postgres';
import type { Config } from '../../platform/config/settings.ts';
import {
  connectDatabase,
  connectTimeoutParameter,
  type Database,
  type DatabaseAddress,
  isConnectTimeout,
} from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { databaseRemedy } from './database-faults.ts';
import { CommandFailure } from './failure.ts';
import { printable } from './text.ts';

export interface OpenedDatabase extends Database {
  readonly embedded: boolean;
}

interface Options {
  config: Config;
  log: Logger;
  role: 'server' | 'tool';
  progress?: (message: string) => void;
  signal?: AbortSignal;
  /** Called when the embedded PostgreSQL has moved its socket; `address` has changed. */
  onMove?: (host: string) => void;
}

/** Connections of each process besides its pool: the bus, the reserved connection, and at most two audit exports. */
const BESIDE_POOL = 4;
/** For the primary process, which starts the workers, and for CLI commands. */
const SPARE_CONNECTIONS = 20;
const MIN_CONNECTIONS = 60;

export const perProcess = (poolSize: number): number => poolSize + BESIDE_POOL;

export const connectionsOf = ({ WORKERS, DATABASE_POOL_SIZE }: Config): number =>
  WORKERS * perProcess(DATABASE_POOL_SIZE);

/** `max_connections` of the embedded PostgreSQL. Includes one more worker, which exists while workers are replaced. */
const connectionsFor = (config: Config): number => {
  const { WORKERS, DATABASE_POOL_SIZE } = config;
  const replacing = WORKERS === 1 ? 0 : perProcess(DATABASE_POOL_SIZE);
  return Math.max(MIN_CONNECTIONS, connectionsOf(config) + replacing + SPARE_CONNECTIONS);
};

const HINTS: Hints = { dataDir: 'DATA_DIR', instead: 'set DATABASE_URL to a PostgreSQL server' };

/** Opens DATABASE_URL or the embedded PostgreSQL, which the first process starts and the last one stops. */
export async function openDatabase(options: Options): Promise<OpenedDatabase> {
  const { config, log } = options;
  const connect = (address: DatabaseAddress) => connectTo(address, config, log);
  if (config.DATABASE_URL !== undefined) {
    expectFiles(config.DATABASE_URL);
    expectTimeout(config.DATABASE_URL);
    return { ...connect({ connectionString: config.DATABASE_URL, pooler: config.DATABASE_POOLER }), embedded: false };
  }
  const { EmbeddedError, openEmbedded } = await import('@gatehouse/embedded-postgres');
  try {
    const settings = { max_connections: String(connectionsFor(config)) };
    const dataDir = resolve(config.DATA_DIR);
    const server = await openEmbedded({ ...options, name: 'gatehouse', dataDir, hints: HINTS, settings });
    const database = connect(server.connection);
    const close = async () => {
      await database.close();
      await server.close();
    };
    return { ...database, close, embedded: true };
  } catch (error) {
    if (error instanceof EmbeddedError) throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

/** Throws if a certificate or key file cannot be read: the driver's error would only say that a file is missing. */
function expectFiles(url: string): void {
  for (const [name, path] of new URL(url).searchParams) {
    if (!/^ssl(rootcert|cert|key)$/.test(name) || path === '') continue;
    if (path === 'system') {
      throw new CommandFailure(
        `${name}=system in DATABASE_URL is not supported. Remove it: Node's own CAs are then used.`,
      );
    }
    const fault = faultOfFile(path);
    if (fault) throw new CommandFailure(`${name} in DATABASE_URL is ${path}, which cannot be read (${fault}).`);
  }
}

function expectTimeout(url: string): void {
  const seconds = connectTimeoutParameter(url);
  if (seconds === undefined || isConnectTimeout(seconds)) return;
  throw new CommandFailure('connect_timeout in DATABASE_URL must be a whole number of seconds from 1 to 50.');
}

function faultOfFile(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile() ? undefined : 'not a file';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

export const connectTo = (address: DatabaseAddress, { DATABASE_POOL_SIZE }: Config, log: Logger): Database =>
  connectDatabase({
    address,
    poolSize: DATABASE_POOL_SIZE,
    onIdleError: (err) => log.warn({ err }, 'an idle database connection was lost'),
  });

/** Whether the embedded PostgreSQL does not exist yet. Does not create it; access errors are reported later. */
export async function isNew({ DATABASE_URL, DATA_DIR }: Config): Promise<boolean> {
  if (DATABASE_URL !== undefined) return false;
  const { hasCluster } = await import('@gatehouse/embedded-postgres');
  return hasCluster(DATA_DIR).then(
    (exists) => !exists,
    () => false,
  );
}

/** The fault, without the password, and the remedy. */
export function explainDatabase(config: Config, error: unknown): { detail: string; fix: string } {
  if (error instanceof CommandFailure) {
    const fix = config.DATABASE_URL === undefined ? 'Check DATA_DIR, or set DATABASE_URL.' : 'Correct DATABASE_URL.';
    return { detail: error.message, fix };
  }
  const where = config.DATABASE_URL === undefined ? 'the embedded PostgreSQL' : placeOf(config.DATABASE_URL);
  const fault = error as Error;
  return {
    detail: `the database at ${where} cannot be used: ${printable(fault.message.split('\n')[0]!, 300)}`,
    fix: databaseRemedy(fault),
  };
}

export function databaseFailure(config: Config, error: unknown): CommandFailure {
  const { detail, fix } = explainDatabase(config, error);
  return new CommandFailure(`${detail[0]!.toUpperCase()}${detail.slice(1)}. ${fix}`, { cause: error });
}

/** Host, port and database, without user and password. */
export const placeOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}:${port || 5432}${pathname}`;
};

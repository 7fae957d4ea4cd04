import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { namingPool } from './pool.ts';
import type { Pooler } from './pooler.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** Where the database is: a URL, or the embedded one's socket. */
export type DatabaseAddress = (
  | { connectionString: string; pooler?: Pooler }
  | { host: string; port: number; user: string; password: string; database: string }
) & {
  /** How many times as long as usual it may take to answer: for tests, whose machine is busy with many others. */
  timeoutFactor?: number;
};

interface DatabaseOptions {
  address: DatabaseAddress;
  poolSize: number;
  /** No time limit of our own on a statement: for migrations, which may wait and work for long. */
  unhurried?: boolean;
  onIdleError: (error: Error) => void;
}

export interface Database {
  db: Db;
  address: DatabaseAddress;
  /** How many connections exist, wait to be used, and how many requests wait for one. */
  load(): { total: number; idle: number; waiting: number };
  /** What is connected now is not used again: see `RenewablePool`. */
  renew(): void;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT = 5_000;

/** `connect_timeout` of a URL, in seconds, as PostgreSQL's own programs take it from there: for a database that has to wake up first. */
export const connectTimeoutParameter = (url: string): string | undefined =>
  new URL(url).searchParams.getAll('connect_timeout').at(-1) || undefined;

/** A request is hung up on after a minute: longer than this nobody would hear what came of it. */
export const isConnectTimeout = (seconds: string): boolean => /^([1-9]|[1-4]\d|50)$/.test(seconds);

/** Milliseconds to wait for a connection, and in line for one. */
export function connectTimeoutOf(address: DatabaseAddress, usual = CONNECT_TIMEOUT): number {
  const told = 'connectionString' in address ? connectTimeoutParameter(address.connectionString) : undefined;
  return waitFor(address, told && isConnectTimeout(told) ? Number(told) * 1_000 : usual);
}

// bigint arrives as text by default; ours are row ids and counts, far below 2^53.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

const poolerOf = (address: DatabaseAddress): Pooler => ('pooler' in address && address.pooler) || 'none';

export const isPooled = (address: DatabaseAddress): boolean => poolerOf(address) !== 'none';

/** Whether a statement may be given a name, under which the connection knows it the next time. */
export const mayPrepare = (address: DatabaseAddress): boolean => poolerOf(address) !== 'transaction';

/** Milliseconds for which to wait for this database where one usually waits for so many. */
export const waitFor = ({ timeoutFactor = 1 }: DatabaseAddress, usual: number): number => usual * timeoutFactor;

/** Milliseconds. A statement, a wait or a forgotten transaction must not hold a request, or others, for ever. */
export const LIMITS = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
} as const;

const limitsOf = (address: DatabaseAddress): Record<keyof typeof LIMITS, number> => ({
  statement_timeout: waitFor(address, LIMITS.statement_timeout),
  lock_timeout: waitFor(address, LIMITS.lock_timeout),
  idle_in_transaction_session_timeout: waitFor(address, LIMITS.idle_in_transaction_session_timeout),
});

const placeOf = ({ timeoutFactor: _, ...address }: DatabaseAddress): pg.ClientConfig =>
  'connectionString' in address ? { connectionString: address.connectionString } : address;

export const clientConfig = (address: DatabaseAddress, name: string): pg.ClientConfig => ({
  ...placeOf(address),
  // The embedded one is reached by a socket; the environment's PGSSLMODE is not about it.
  ...('host' in address && { ssl: false }),
  types: types as pg.CustomTypesConfig,
  application_name: name,
  connectionTimeoutMillis: connectTimeoutOf(address),
  // Poolers refuse these, or let them fall; there they are the role's, and `doctor` asks for them.
  ...(!isPooled(address) && limitsOf(address)),
  keepAlive: true,
});

export const poolConfig = (options: DatabaseOptions): pg.PoolConfig => ({
  ...clientConfig(options.address, 'gatehouse'),
  // A server that accepts and never answers must not hold a request for ever.
  ...(options.unhurried !== true && { query_timeout: waitFor(options.address, LIMITS.statement_timeout + 2_000) }),
  max: options.poolSize,
  idleTimeoutMillis: 60_000,
  maxLifetimeSeconds: 3600,
});

export function connectDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool(poolConfig(options));
  // Without a listener, an idle client that loses its server would end the process.
  pool.on('error', options.onIdleError);
  pool.on('connect', (client) => client.on('error', options.onIdleError));
  const naming = namingPool(pool, {
    prepares: mayPrepare(options.address),
    timeoutFactor: connectTimeoutOf(options.address),
    prepare() {
      // The embedded database may have had to move its socket.
      if ('host' in options.address) pool.options.host = options.address.host;
    },
  });
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: naming }) }),
    address: options.address,
    load: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    renew: () => naming.renew(),
    close: () => pool.end(),
  };
}

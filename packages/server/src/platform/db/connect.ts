import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { namingPool } from './pool.ts';
import type { Pooler } from './pooler.ts';
import type { Schema } from './schema.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** A URL, or the socket of the embedded PostgreSQL. */
export type DatabaseAddress = (
  | { connectionString: string; pooler?: Pooler }
  | { host: string; port: number; user: string; password: string; database: string }
) & {
  /** Multiplies all timeouts. For tests that run on a busy machine. */
  timeoutFactor?: number;
};

interface DatabaseOptions {
  address: DatabaseAddress;
  poolSize: number;
  /** No client-side timeout for statements. For migrations, which may wait and run for long. */
  unhurried?: boolean;
  onIdleError: (error: Error) => void;
}

export interface Database {
  db: Db;
  address: DatabaseAddress;
  /** The number of connections, of idle ones, and of requests that wait for one. */
  load(): { total: number; idle: number; waiting: number };
  /** Makes the pool use none of its current connections again: see `RenewablePool`. */
  renew(): void;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** The parameter `connect_timeout` of a URL, in seconds as in libpq, for a database that has to wake up first. */
export const connectTimeoutParameter = (url: string): string | undefined =>
  new URL(url).searchParams.getAll('connect_timeout').at(-1) || undefined;

/** Between 1 and 50 seconds: requests are aborted after a minute, which leaves time for a response. */
export const isConnectTimeout = (seconds: string): boolean => /^([1-9]|[1-4]\d|50)$/.test(seconds);

/** The timeout in milliseconds for connecting and for waiting for a pooled connection. */
export function connectTimeoutOf(address: DatabaseAddress, timeoutMs = CONNECT_TIMEOUT_MS): number {
  const parameter = 'connectionString' in address ? connectTimeoutParameter(address.connectionString) : undefined;
  return waitFor(address, parameter && isConnectTimeout(parameter) ? Number(parameter) * 1_000 : timeoutMs);
}

// The driver returns bigint as text. Ours are row ids and counts, far below 2^53.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

const poolerOf = (address: DatabaseAddress): Pooler => ('pooler' in address && address.pooler) || 'none';

export const isPooled = (address: DatabaseAddress): boolean => poolerOf(address) !== 'none';

/** Whether statements may be prepared under a name for reuse on the same connection. */
export const mayPrepare = (address: DatabaseAddress): boolean => poolerOf(address) !== 'transaction';

/** Multiplies a timeout in milliseconds by the factor of this database. */
export const waitFor = ({ timeoutFactor = 1 }: DatabaseAddress, timeoutMs: number): number => timeoutMs * timeoutFactor;

/** In milliseconds. They keep a statement, a lock wait or an abandoned transaction from blocking requests forever. */
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
  // The embedded PostgreSQL is reached by a socket, to which PGSSLMODE of the environment does not apply.
  ...('host' in address && { ssl: false }),
  types: types as pg.CustomTypesConfig,
  application_name: name,
  connectionTimeoutMillis: connectTimeoutOf(address),
  // Poolers reject or ignore these parameters. Behind a pooler they must be set on the role, which `doctor` checks.
  ...(!isPooled(address) && limitsOf(address)),
  keepAlive: true,
});

export const poolConfig = (options: DatabaseOptions): pg.PoolConfig => ({
  ...clientConfig(options.address, 'gatehouse'),
  // Needed for a server that accepts connections but never answers.
  ...(options.unhurried !== true && { query_timeout: waitFor(options.address, LIMITS.statement_timeout + 2_000) }),
  max: options.poolSize,
  idleTimeoutMillis: 60_000,
  maxLifetimeSeconds: 3600,
});

export function connectDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool(poolConfig(options));
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', options.onIdleError);
  pool.on('connect', (client) => client.on('error', options.onIdleError));
  const naming = namingPool(pool, {
    prepares: mayPrepare(options.address),
    timeoutMs: connectTimeoutOf(options.address),
    prepare() {
      // The embedded PostgreSQL may have moved its socket.
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

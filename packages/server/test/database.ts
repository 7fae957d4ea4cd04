import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { connectDatabase, type Database } from '../src/platform/db/connect.ts';
import { TEMPLATE } from './postgres.ts';
import { forSuite } from './suite.ts';

export interface TestDatabase extends Database {
  readonly name: string;
  /** The URL for the service in another process; it sets long timeouts. */
  readonly url: string;
  /** The URL for PostgreSQL programs such as pg_dump. */
  readonly plain_url: string;
}

interface Options {
  empty?: boolean;
  poolSize?: number;
  /** Multiplies the database timeouts. The default is 10, so that a statement may take longer than a test. */
  timeoutFactor?: number;
}

/** Ten times the timeouts of the service, and more for the bus. The driver prefers values in the URL to all others. */
const LONG_TIMEOUTS = {
  connect_timeout: '50',
  query_timeout: '120000',
  statement_timeout: '100000',
  lock_timeout: '50000',
  idle_in_transaction_session_timeout: '100000',
};

/** Creates a database: a clone of the migrated template, or an empty one. `close` drops it. */
export async function createTestDatabase(options: Options = {}): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Without fsync, copying files is faster than writing every page to the WAL.
  await asAdmin(`create database ${name} template ${options.empty ? 'template0' : TEMPLATE} strategy file_copy`);
  const address = { ...server, database: name, timeoutFactor: options.timeoutFactor ?? 10 };
  const database = connectDatabase({ address, poolSize: options.poolSize ?? 5, onIdleError: () => {} });
  const secret = encodeURIComponent(server.password);
  const plain_url = `postgresql://${server.user}:${secret}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.host)}`;
  return {
    ...database,
    name,
    url: `${plain_url}&${new URLSearchParams(LONG_TIMEOUTS)}`,
    plain_url,
    async close() {
      await database.close();
      await asAdmin(`drop database if exists ${name} with (force)`);
    },
  };
}

export async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres'), database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export const useTestDatabase = (options?: Options): TestDatabase => forSuite(() => createTestDatabase(options));

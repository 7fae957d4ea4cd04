import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { connectDatabase, type Database } from '../src/platform/db/connect.ts';
import { TEMPLATE } from './postgres.ts';

export interface TestDatabase extends Database {
  readonly name: string;
  /** For a process of its own. */
  readonly url: string;
  /** For a program of PostgreSQL. */
  readonly plain_url: string;
}

interface Options {
  empty?: boolean;
  poolSize?: number;
  /** How many times as long as usual it may take to answer. Unless told, a statement may take longer than a test. */
  timeoutFactor?: number;
}

/** Ten times what a service grants its database, and more for the bus. The driver takes them from the URL before all others. */
const LONG = {
  connect_timeout: '50',
  query_timeout: '120000',
  statement_timeout: '100000',
  lock_timeout: '50000',
  idle_in_transaction_session_timeout: '100000',
};

/** A database of one's own: a clone of the migrated template, or an empty one. Dropped by `close`. */
export async function createTestDatabase(options: Options = {}): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // With nothing to flush, copying files is quicker than writing every page to the log.
  await asAdmin(`create database ${name} template ${options.empty ? 'template0' : TEMPLATE} strategy file_copy`);
  const address = { ...server, database: name, timeoutFactor: options.timeoutFactor ?? 10 };
  const database = connectDatabase({ address, poolSize: options.poolSize ?? 5, onIdleError: () => {} });
  const secret = encodeURIComponent(server.password);
  const plain_url = `postgresql://${server.user}:${secret}@localhost:${server.port}/${name}?host=${encodeURIComponent(server.host)}`;
  return {
    ...database,
    name,
    url: `${plain_url}&${new URLSearchParams(LONG)}`,
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostmaster, openEmbedded } from '@gatehouse/embedded-postgres';
import pg from 'pg';
import { inject } from 'vitest';
import { connectDatabase, type Db } from '../../packages/server/src/platform/db/connect.ts';
import { createTestDatabase } from '../../packages/server/test/database.ts';

export interface Postgres {
  /** A direct connection, without a relay. */
  readonly db: Db;
  readonly name: string;
  socket(): string;
  /** Returns the URL for a service that connects through a relay on this port. */
  urlAt(port: number): string;
  connect(): Promise<pg.Client>;
  pid(): Promise<number>;
  close(): Promise<void>;
}

const silent = { info: () => {}, warn: () => {} };

/** Starts a PostgreSQL that syncs to disk before it acknowledges, as in production, and is restarted if it dies. */
export async function startPostgres(settings: Record<string, string> = {}, folder = newFolder()): Promise<Postgres> {
  const embedded = await openEmbedded({ name: 'gatehouse', dataDir: folder, role: 'server', log: silent, settings });
  const { connection } = embedded;
  const database = connectDatabase({ address: connection, poolSize: 2, onIdleError: () => {} });
  const postmaster = async () => (await findPostmaster(join(folder, 'postgres')))?.pid;
  return {
    db: database.db,
    name: connection.database,
    socket: () => `${connection.host}/.s.PGSQL.${connection.port}`,
    urlAt: (port) =>
      `postgresql://${connection.user}:${encodeURIComponent(connection.password)}@127.0.0.1:${port}/${connection.database}`,
    async connect() {
      const client = new pg.Client({ ...connection, ssl: false });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    async pid() {
      const found = await postmaster();
      if (found === undefined) throw new Error('the database is not running');
      return found;
    },
    async close() {
      await database.close();
      await embedded.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a database on the PostgreSQL of all tests, which starts at once and must not be stopped. */
export async function borrowPostgres(): Promise<Postgres> {
  const server = inject('postgres');
  const database = await createTestDatabase();
  return {
    db: database.db,
    name: database.name,
    socket: () => `${server.host}/.s.PGSQL.${server.port}`,
    // The URL has the long timeouts of tests: no fault of the short form lasts long, and the machine may be busy.
    urlAt(port) {
      const url = new URL(database.url);
      url.searchParams.delete('host');
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async connect() {
      const client = new pg.Client({ ...server, database: database.name });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    pid: () => Promise.reject(new Error('this one belongs to others too')),
    close: () => database.close(),
  };
}

/** If a run is interrupted, `run-folder.ts` stops the database in this folder. */
const newFolder = (): string => mkdtempSync(join(process.env.TRUST_FOLDER ?? tmpdir(), 'gh-fault-'));

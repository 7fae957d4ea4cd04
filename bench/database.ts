import { type EmbeddedPostgres, openEmbedded } from '@gatehouse/embedded-postgres';
import pg from 'pg';
import { ownDatabases } from './proc.ts';
import { makeFolder } from './start-process.ts';
import { atEnd, stopping } from './tidy.ts';

const log = { info: () => undefined, warn: () => undefined };

export async function openDatabase(dataDir: string, role: 'server' | 'tool'): Promise<EmbeddedPostgres> {
  const embedded = await openEmbedded({ name: 'gatehouse', dataDir, role, log, signal: stopping });
  atEnd(() => embedded.close());
  return embedded;
}

export interface DatabaseServer {
  readonly pid: number | undefined;
  /** Creates a database; `env` contains its address in the environment variables that pg reads. */
  create(name: string): Promise<{ config: pg.ClientConfig; env: Record<string, string> }>;
}

/** A second PostgreSQL with the service's settings, for the limits of the machine and for other services. */
export async function startDatabase(): Promise<DatabaseServer> {
  const { connection } = await openDatabase(makeFolder(), 'server');
  return {
    pid: ownDatabases()[0],
    async create(name) {
      const client = new pg.Client({ ...connection, ssl: false });
      await client.connect();
      await client.query(`create database ${pg.escapeIdentifier(name)}`);
      await client.end();
      const { host, port, user, password } = connection;
      return {
        config: { ...connection, database: name, ssl: false },
        env: {
          PGHOST: host,
          PGPORT: String(port),
          PGUSER: user,
          PGPASSWORD: password,
          PGDATABASE: name,
          PGSSLMODE: 'disable',
        },
      };
    },
  };
}

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { migrate } from './migrate.ts';
import type { Migration } from './migration.ts';
import { HISTORY } from './schema-fixture.ts';

export const NOW = new Date('2030-01-15T12:00:00Z');

export interface TestDatabase {
  /** For other processes. */
  readonly url: string;
  /** Opens a connection, which `close` ends. */
  connect(): Promise<pg.Client>;
  /** Runs a statement on a connection of its own. */
  run(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Waits until this many statements wait for a lock. */
  untilBlocked(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates a database with the schema of these migrations. */
export async function createDatabase(migrations: readonly Migration[] = HISTORY.migrations): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  const administrate = async (text: string) => {
    const client = new pg.Client({ ...server, database: 'postgres' });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await administrate(`create database ${name} template template0 strategy file_copy`);
  const opened: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({ ...server, database: name, application_name: 'migrate' });
    // A test ends connections.
    client.on('error', () => undefined);
    await client.connect();
    opened.push(client);
    return client;
  };
  const main = await connect();
  await migrate({ migrations, connect, now: NOW });
  const run: TestDatabase['run'] = async (text, values) => (await main.query(text, values)).rows;
  const url = `postgresql://${server.user}:${encodeURIComponent(server.password)}@localhost:${server.port}/${name}`;
  return {
    url: `${url}?host=${encodeURIComponent(server.host)}`,
    connect,
    run,
    async untilBlocked(count) {
      // The timeout of the test ends this.
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await run(waiting)).length !== count) await sleep(20);
    },
    async close() {
      await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
      await administrate(`drop database ${name} with (force)`);
    },
  };
}

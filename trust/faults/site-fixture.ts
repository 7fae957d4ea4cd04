import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { startLocalServer } from '../../packages/server/test/in-process.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { TIMEOUT_MS } from '../../packages/server/test/timeouts.ts';
import { isFull } from '../effort.ts';
import { borrowPostgres, type Postgres, startPostgres } from './postgres-fixture.ts';
import { type Relay, startRelay } from './relay-fixture.ts';

/**
 * Servers, each with its own relay to one database. In the full form, the servers are processes and the database is
 * durable.
 */
export interface Site {
  readonly postgres: Postgres;
  /** The servers that are processes. */
  readonly servers: readonly Server[];
  readonly relays: readonly Relay[];
  readonly urls: readonly string[];
  /** A platform owner. */
  readonly owner: TestUser;
  /** The status of /readyz; 0 if there is no response. */
  readiness(server: number): Promise<number>;
  close(): Promise<void>;
}

interface SiteOptions {
  readonly replicas?: number;
  readonly env?: Record<string, string>;
  readonly settings?: Record<string, string>;
}

const OWNER = 'owner@example.com';

export async function startSite({ replicas = 2, env = {}, settings: database }: SiteOptions = {}): Promise<Site> {
  const postgres = await (isFull ? startPostgres(database) : borrowPostgres());
  const folder = mkdtempSync(join(tmpdir(), 'gh-site-'));
  const relays = await Promise.all(Array.from({ length: replicas }, () => startRelay(postgres.socket)));
  const shared = {
    PUBLIC_BASE_URL: 'http://localhost:8080',
    DATA_DIR: folder,
    INITIAL_OWNER_EMAIL: OWNER,
    ACCESS_TOKEN_TTL: '3600',
    ...env,
  };
  const settings = relays.map(({ port }) => ({ ...shared, DATABASE_URL: postgres.urlAt(port) }));
  const servers = await Promise.all(isFull ? settings.map((env) => startServer({ cwd: folder, env })) : []);
  const local = await Promise.all(isFull ? [] : settings.map(startLocalServer));
  const urls = [...servers, ...local].map(({ url }) => url);
  const owner = await registerUser(urls[0]!, { email: OWNER });
  return {
    postgres,
    servers,
    relays,
    urls,
    owner,
    readiness: (server) =>
      fetch(`${urls[server]}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
    async close() {
      await Promise.all([...servers.map((server) => server.kill()), ...local.map((server) => server.stop())]);
      await Promise.all(relays.map((relay) => relay.close()));
      await postgres.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !(await condition()); await sleep(20)) {
    if (performance.now() > end) throw new Error(`timed out waiting until ${what}`);
  }
}

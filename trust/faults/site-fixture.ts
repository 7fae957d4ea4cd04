import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { TIMEOUT_MS } from '../../packages/server/test/timeouts.ts';
import { isFull } from '../effort.ts';
import { borrowPostgres, type Postgres, startPostgres } from './postgres-fixture.ts';
import { type Relay, startRelay } from './relay-fixture.ts';

/** Servers in other processes, each with its own relay to one database, which is durable in the full form. */
export interface Site {
  readonly postgres: Postgres;
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

export async function startSite({ replicas = 2, env = {}, settings }: SiteOptions = {}): Promise<Site> {
  const postgres = await (isFull ? startPostgres(settings) : borrowPostgres());
  const folder = mkdtempSync(join(tmpdir(), 'gh-site-'));
  const relays = await Promise.all(Array.from({ length: replicas }, () => startRelay(postgres.socket)));
  const shared = {
    PUBLIC_BASE_URL: 'http://localhost:8080',
    DATA_DIR: folder,
    INITIAL_OWNER_EMAIL: OWNER,
    ACCESS_TOKEN_TTL: '3600',
    ...env,
  };
  const servers = await Promise.all(
    relays.map(({ port }) => startServer({ cwd: folder, env: { ...shared, DATABASE_URL: postgres.urlAt(port) } })),
  );
  const urls = servers.map(({ url }) => url);
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
      await Promise.all(servers.map((server) => server.kill()));
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

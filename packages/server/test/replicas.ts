import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forceLease } from '../src/platform/db/lease.ts';
import { bearer, createBrowser } from './browser.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type LocalServer, startLocalServer } from './in-process.ts';
import { startServer } from './process.ts';
import { forSuite } from './suite.ts';
import { INVALIDATED_WITHIN_MS } from './timeouts.ts';

export interface Replicas {
  readonly database: TestDatabase;
  /** The shared DATA_DIR. Development mails are written to its folder `mail`. */
  readonly folder: string;
  readonly urls: readonly string[];
  /** Returns the URLs in turn, so that a race uses all replicas. */
  either(index: number): string;
  many<T>(count: number, ask: (url: string, index: number) => Promise<T>): Promise<T[]>;
  close(): Promise<void>;
}

interface ReplicaOptions {
  /** Whether each replica is a process of the built service. For tests in which the process itself is tested. */
  readonly processes?: boolean;
  /** Whether the service's own database timeouts apply, instead of the longer ones for tests on a busy machine. */
  readonly defaultTimeouts?: boolean;
}

/**
 * Starts replicas with one database and one public URL, as behind a load balancer. They share only the database. In a
 * test run they are in this process, each with its own pool, bus connection and caches; in `npm run attack` and
 * `faults` they are processes.
 */
export async function startReplicas(
  count = 2,
  env: Record<string, string> = {},
  { processes = process.env.TRUST_EFFORT === 'full', defaultTimeouts = false }: ReplicaOptions = {},
): Promise<Replicas> {
  const folder = mkdtempSync(join(tmpdir(), 'gh-race-'));
  const database = await createTestDatabase();
  const DATABASE_URL = defaultTimeouts ? database.plain_url : database.url;
  const shared = { DATABASE_URL, PUBLIC_BASE_URL: 'http://localhost:8080', DATA_DIR: folder, ...env };
  const start = async (): Promise<LocalServer> => {
    if (!processes) return startLocalServer(shared);
    const { url, kill } = await startServer({ cwd: folder, env: shared });
    return { url, stop: async () => void (await kill()) };
  };
  const servers = await Promise.all(Array.from({ length: count }, start));
  const urls = servers.map(({ url }) => url);
  const either = (index: number) => urls[index % count]!;
  return {
    database,
    folder,
    urls,
    either,
    many: (times, ask) => Promise.all(Array.from({ length: times }, (_, index) => ask(either(index), index))),
    async close() {
      await Promise.all(servers.map((server) => server.stop()));
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts replicas as processes of the built service. For races on values that are used once, or counted. */
export const startProcesses = (count = 2, env: Record<string, string> = {}): Promise<Replicas> =>
  startReplicas(count, env, { processes: true });

/** Prevents sweeps, for a test that counts rows, by holding the sweep lease until the returned function is called. */
export async function suspendSweeps({ database: { db } }: Pick<Replicas, 'database'>): Promise<() => Promise<void>> {
  // The lease is at most as long as one of the service, because a longer one is ignored.
  const renewLease = () => forceLease(db, 'sweep', 25);
  let lease = renewLease();
  const timer = setInterval(() => {
    lease = lease.then(renewLease);
  }, 5_000);
  await lease;
  return async () => {
    clearInterval(timer);
    await lease;
  };
}

export const isSignedIn = async (url: string, token: string): Promise<boolean> =>
  (await createBrowser(url).get('/auth/session', bearer(token))).status === 200;

export async function isRefusedInTime(url: string, token: string): Promise<boolean> {
  for (const end = performance.now() + INVALIDATED_WITHIN_MS; performance.now() < end; await sleep(20)) {
    if (!(await isSignedIn(url, token))) return true;
  }
  return false;
}

export const useReplicas = (...args: Parameters<typeof startReplicas>): Replicas =>
  forSuite(() => startReplicas(...args));

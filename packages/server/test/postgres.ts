import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '@gatehouse/embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type NewKey, storeSigningKey } from '../src/domain/signing-keys/keys.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createKeyring } from '../src/platform/crypto/keyring.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { transact } from '../src/platform/db/transact.ts';
import { fastRsaKey } from './fast-rsa.ts';
import { findSystemPostgres } from './system-postgres.ts';

export interface TestServer {
  host: string;
  port: number;
  user: string;
  password: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: TestServer;
    /** The folder in which `statements.ts` records statements. */
    statements: string;
  }
}

export const SECRET = 'a secret for tests, and for nothing else, 0123456789';
export const TEMPLATE = 'gatehouse_template';

/** Test databases need not survive a crash, so nothing waits for the disk. */
const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };

/** Starts one PostgreSQL for the whole run, with a migrated template that every test file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(process.env.TRUST_FOLDER ?? memoryFolder() ?? tmpdir(), 'gh-test-'));
  const server = project.name.startsWith('system') ? await startSystem(folder) : await startEmbedded(folder);
  await makeTemplate(server.address);
  project.provide('postgres', server.address);
  const statements = join(tmpdir(), `gh-statements-${process.pid}`);
  mkdirSync(statements, { recursive: true });
  project.provide('statements', statements);
  return async () => {
    await server.stop();
    rmSync(statements, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  };
}

const MEMORY_FOLDER = '/dev/shm';
/** Many times the space that the databases of a run need. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

/** Returns a folder in memory if Linux has one with enough space. There, the database never waits for the disk. */
function memoryFolder(): string | undefined {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : undefined;
  } catch {
    return undefined;
  }
}

interface Running {
  address: TestServer;
  stop(): Promise<void>;
}

async function startEmbedded(folder: string): Promise<Running> {
  const silent = { info: () => {}, warn: () => {} };
  const server = await openEmbedded({
    name: 'gatehouse',
    dataDir: folder,
    role: 'server',
    log: silent,
    settings: FAST_SETTINGS,
  });
  const { host, port, user, password } = server.connection;
  stopAtExit(join(folder, 'postgres/postmaster.pid'));
  const address = { host, port, user, password };
  await hashPasswordCheaply(address);
  return { address, stop: () => server.close() };
}

/** Stores the password with one SCRAM iteration, which each of the thousands of test connections has to repeat. */
async function hashPasswordCheaply(server: TestServer): Promise<void> {
  const admin = new pg.Client({ ...server, database: 'postgres' });
  await admin.connect();
  await admin.query('set scram_iterations = 1');
  await admin.query(`alter role ${server.user} password ${admin.escapeLiteral(server.password)}`);
  await admin.end();
}

/** Ctrl-C skips the teardown, so the database is stopped at exit. */
function stopAtExit(pidFile: string): void {
  process.on('exit', () => {
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGINT');
  });
}

async function startSystem(folder: string): Promise<Running> {
  const bin = findSystemPostgres()!;
  const account = process.getuid?.() === 0 ? accountOf('postgres') : {};
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid!);
  const data = join(folder, 'data');
  execFileSync(
    `${bin}/initdb`,
    ['-D', data, '-U', 'gatehouse', '-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-N'],
    {
      ...account,
      cwd: folder,
    },
  );
  const settings = Object.entries({ ...FAST_SETTINGS, listen_addresses: '', unix_socket_directories: folder });
  const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const child = spawn(`${bin}/postgres`, args, { ...account, cwd: folder, stdio: 'ignore' });
  const address = { host: folder, port: 5432, user: 'gatehouse', password: 'unused' };
  for (let attempt = 0; !(await answers(address)); attempt++) {
    if (attempt > 200 || child.exitCode !== null) throw new Error('the system PostgreSQL does not start');
    await sleep(50);
  }
  const stop = async () => {
    const gone = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGINT');
    await gone;
  };
  return { address, stop };
}

function accountOf(name: string): { uid?: number; gid?: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, name]).toString());
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(address: TestServer): Promise<boolean> {
  const client = new pg.Client({ ...address, database: 'postgres' });
  client.on('error', () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

async function makeTemplate(server: TestServer): Promise<void> {
  const admin = new pg.Client({ ...server, database: 'postgres' });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const address = { ...server, database: TEMPLATE };
  await migrate(address, systemClock.now());
  const database = connectDatabase({ address, poolSize: 2, onIdleError: () => {} });
  // All test services with the default secret share these keys.
  const now = systemClock.now();
  for (const [index, table] of (['signing_keys', 'application_keys'] as const).entries()) {
    const key = newKeyOf(fastRsaKey(index));
    await transact(database.db, (tx) =>
      storeSigningKey(tx, createKeyring(SECRET), key, { table, now, signs_from: now }),
    );
  }
  await database.close();
}

function newKeyOf({ publicKey, privateKey }: ReturnType<typeof fastRsaKey>): NewKey {
  const { n, e } = publicKey.export({ format: 'jwk' }) as NewKey['public_jwk'];
  const kid = createHash('sha256').update(n).digest('base64url');
  return { kid, public_jwk: { n, e }, pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

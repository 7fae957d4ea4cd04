import { spawn } from 'node:child_process';
import { type FileHandle, constants as flag, open } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readIfThere } from './durable-file.ts';
import { errorCode } from './error.ts';
import { openGuarded } from './guarded-file.ts';
import { ENVIRONMENT } from './identity.ts';
import { socketPath } from './postmaster-file.ts';
import type { Site } from './site.ts';

/**
 * The right to touch the cluster, and to start PostgreSQL in it. A pid says nothing about processes of another container, and shared
 * memory, by which PostgreSQL knows its own kind, is not shared between containers: only the kernel's lock on a file is. PostgreSQL
 * inherits it with the open file, and the last of its processes to end gives it back.
 */
export interface Claim {
  /** For PostgreSQL to inherit; none where the system cannot lock. */
  fd: number | undefined;
  release(): Promise<void>;
}

const LOCKED_BY_US = 3;

function lockPath(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

/** Undefined when somebody has it: a PostgreSQL, processes that outlived theirs, or another starter. */
export async function claimCluster(site: Site, cluster: string): Promise<Claim | undefined> {
  const handle = await openGuarded(lockPath(site.dataDir), flag.O_RDWR | flag.O_CREAT);
  try {
    const state = await lock(handle, site.overrides.flock ?? 'flock');
    // Also with the lock: somebody may have deleted the file that a running PostgreSQL holds.
    if (state !== 'taken' && !(await listens(cluster))) {
      await handle.truncate();
      await handle.write(`${hostname()}\n`, 0);
      return { fd: state === 'held' ? handle.fd : undefined, release: () => handle.close() };
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** On which machine or in which container the claim was last taken, for a human who looks for it. */
export async function readClaimant(dataDir: string): Promise<string> {
  return (await readIfThere(lockPath(dataDir)).catch(() => undefined))?.trim() || 'unknown';
}

/** Node has no call for it. The program locks the open file, which is ours as well, so the lock stays when the program ends. */
async function lock(file: FileHandle, program: string): Promise<'held' | 'taken' | 'unknown'> {
  return new Promise((resolve) => {
    const child = spawn(program, ['-x', '-n', String(LOCKED_BY_US)], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe', file.fd],
    });
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk.toString('utf8');
    });
    child.once('error', () => resolve('unknown'));
    child.once('close', (code) => {
      if (code === 0) resolve('held');
      else resolve(code === 1 && complaint === '' ? 'taken' : 'unknown');
    });
  });
}

/** Whether a PostgreSQL, in whatever container, answers at the socket it keeps inside the cluster. */
export async function listens(cluster: string): Promise<boolean> {
  const folder = await open(cluster, flag.O_RDONLY | flag.O_DIRECTORY).catch(() => undefined);
  if (!folder) return false;
  try {
    // The address of a socket is short, the path of DATA_DIR need not be.
    return await answers(socketPath(process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : cluster));
  } finally {
    await folder.close();
  }
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // A full queue is a listener too.
    socket.once('error', (error) => resolve(errorCode(error) === 'EAGAIN'));
  });
}

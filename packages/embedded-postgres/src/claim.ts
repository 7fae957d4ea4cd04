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
 * The exclusive right to change the cluster and start PostgreSQL in it, as a kernel lock on a file. Neither pids nor
 * shared memory, which PostgreSQL itself uses for this, work across containers; a file lock does. PostgreSQL inherits
 * it with the open file, and it is released when the last of its processes ends.
 */
export interface Claim {
  /** For PostgreSQL to inherit; undefined if the system cannot lock files. */
  fd: number | undefined;
  release(): Promise<void>;
}

const CHILD_FD = 3;

function lockPath(dataDir: string): string {
  return join(dataDir, 'postgres.lock');
}

/** Undefined if the cluster is claimed: by a PostgreSQL, by orphaned backends, or by a process that starts one. */
export async function claimCluster(site: Site, cluster: string): Promise<Claim | undefined> {
  const handle = await openGuarded(lockPath(site.dataDir), flag.O_RDWR | flag.O_CREAT);
  try {
    const state = await lock(handle, site.overrides.flock ?? 'flock');
    // Checked even with the lock: the file that a running PostgreSQL has locked may have been deleted.
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

/** The host name of the machine or container that took the claim last, for error messages. */
export async function readClaimant(dataDir: string): Promise<string> {
  return (await readIfThere(lockPath(dataDir)).catch(() => undefined))?.trim() || 'unknown';
}

/** Node cannot lock files. `flock` locks the open file that it shares with us, so the lock remains when it exits. */
async function lock(file: FileHandle, program: string): Promise<'held' | 'taken' | 'unknown'> {
  return new Promise((resolve) => {
    const child = spawn(program, ['-x', '-n', String(CHILD_FD)], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe', file.fd],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    child.once('error', () => resolve('unknown'));
    child.once('close', (code) => {
      if (code === 0) resolve('held');
      else resolve(code === 1 && stderr === '' ? 'taken' : 'unknown');
    });
  });
}

/** Whether a PostgreSQL in any container listens on the socket inside the cluster. */
export async function listens(cluster: string): Promise<boolean> {
  const folder = await open(cluster, flag.O_RDONLY | flag.O_DIRECTORY).catch(() => undefined);
  if (!folder) return false;
  try {
    // Socket paths are limited in length; the data folder is not.
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
    // EAGAIN: PostgreSQL listens, but its queue of connections is full.
    socket.once('error', (error) => resolve(errorCode(error) === 'EAGAIN'));
  });
}

import { type FileHandle, constants as flag } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error.ts';
import { openGuarded } from './guarded-file.ts';
import { isPostmasterOf } from './process-state.ts';

/** PostgreSQL's default port. Without TCP it is only part of the socket's name. */
export const PORT = 5432;
/** Above every possible pid, so PostgreSQL finds no process with it. */
const IMPOSSIBLE_PID = 2147483647;
/** PostgreSQL writes its lock file at once. If it is empty for longer than this, PostgreSQL was killed. */
const EMPTY_MS = 2000;

export interface Postmaster {
  pid: number;
  socketFolder: string;
  /** False while PostgreSQL starts, recovers or stops. */
  ready: boolean;
}

interface LockFile extends Postmaster {
  alive: boolean;
  /** The cluster that the file was written for: in a copied data folder, the one of the original. */
  cluster: string;
}

export function socketPath(folder: string): string {
  return join(folder, `.s.PGSQL.${PORT}`);
}

/** The lines of the file: pid, data folder, start time, port, socket folder, listen address, shared memory, status. */
export async function readPostmasterFile(cluster: string): Promise<LockFile | undefined> {
  const file = await openGuarded(join(cluster, 'postmaster.pid'), flag.O_RDONLY).catch(absent);
  if (!file) return undefined;
  try {
    const lines = (await file.readFile('utf8')).split('\n');
    const pid = Number.parseInt(lines[0] ?? '', 10);
    if (!(pid > 0)) return undefined;
    const alive = pid !== IMPOSSIBLE_PID && (await isPostmasterOf(pid, cluster));
    const ready = (lines[7] ?? '').startsWith('ready');
    return { pid, socketFolder: lines[4] ?? '', ready, alive, cluster: lines[1] ?? '' };
  } finally {
    await file.close();
  }
}

export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const file = await readPostmasterFile(cluster);
  return file?.alive ? file : undefined;
}

/**
 * PostgreSQL does not start if the pid in its lock file exists, even of a zombie or an unrelated process. Writing an
 * impossible pid instead of deleting the file keeps PostgreSQL's own check for orphaned backends by the shared memory
 * that the file names. The write goes to the file that was read: if another starter has replaced it, it has no effect.
 * Requires the claim: a pid unknown here may be a running PostgreSQL in another container.
 */
export async function disarmStaleLocks(cluster: string, socketFolder: string): Promise<void> {
  await disarm(join(cluster, 'postmaster.pid'), cluster);
  for (const folder of [socketFolder, cluster]) await disarm(`${socketPath(folder)}.lock`, cluster);
}

async function disarm(path: string, cluster: string): Promise<void> {
  const file = await openGuarded(path, flag.O_RDWR).catch(absent);
  if (!file) return;
  try {
    const content = await file.readFile('utf8');
    if (content === '' && Math.abs(await ageOf(file)) > EMPTY_MS) await file.write(`${IMPOSSIBLE_PID}\n`, 0, 'utf8');
    const pid = Number.parseInt(content, 10);
    if (!(pid > 0) || pid === IMPOSSIBLE_PID || (await isPostmasterOf(pid, cluster))) return;
    await file.write(content.replace(/^\d+/, String(IMPOSSIBLE_PID)), 0, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

async function ageOf(file: FileHandle): Promise<number> {
  return performance.timeOrigin + performance.now() - (await file.stat()).mtimeMs;
}

function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}

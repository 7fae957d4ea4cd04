import { chmod, lchown, lstat, mkdir, mkdtemp, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readIfThere, writeDurably } from './durable-file.ts';
import { EmbeddedError } from './error.ts';
import { canReach, type Identity } from './identity.ts';
import { socketPath } from './postmaster-file.ts';
import type { Site } from './site.ts';

/** A socket path has at most 108 bytes on Linux and 104 on macOS, including the terminating zero. */
const MAX_PATH_BYTES = 103;

export interface SocketFolder {
  path: string;
  /** The folder was just created, so no other process can be using it. */
  fresh: boolean;
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'postgres.socket');
}

/**
 * Returns the private folder of the socket: the previous one, recreated if necessary, so that pools can reconnect;
 * otherwise a new one. `stale` is the folder named by a dead postmaster's lock file.
 */
export async function prepareSocketFolder(site: Site, identity: Identity, stale?: string): Promise<SocketFolder> {
  for (const known of [site.socketFolder, stale, await readRecord(site.dataDir)]) {
    if (!known) continue;
    if (await claimKnown(known, site.name, identity)) {
      await record(site.dataDir, known);
      return { path: known, fresh: false };
    }
    await sweep(known, site.name);
  }
  for (const base of [tmpdir(), '/tmp']) {
    const path = await makeFolder(base, site.name, identity);
    if (!path) continue;
    await record(site.dataDir, path);
    return { path, fresh: true };
  }
  throw new EmbeddedError('no usable temporary folder for the database socket: make /tmp writable or set TMPDIR');
}

/** The second line of the record is its data folder: a copied data folder must not use the socket of the original. */
async function readRecord(dataDir: string): Promise<string | undefined> {
  const [folder, owner] = (await readIfThere(recordPath(dataDir)).catch(() => undefined))?.split('\n') ?? [];
  return owner === dataDir ? folder : undefined;
}

async function record(dataDir: string, folder: string): Promise<void> {
  if ((await readRecord(dataDir)) === folder) return;
  await writeDurably(recordPath(dataDir), `${folder}\n${dataDir}\n`);
}

/** Records may be writable by another user: root creates and removes only folders with a name of ours. */
function isNamedByUs(folder: string, name: string): boolean {
  return new RegExp(`^${name}-\\w{6}$`).test(basename(folder));
}

function fits(folder: string): boolean {
  // `unix_socket_directories` is a list: a comma or a quote in the path would split it.
  return Buffer.byteLength(socketPath(folder)) <= MAX_PATH_BYTES && /^\/[\w./+-]*$/.test(folder);
}

/** Temporary folders are world-writable: use only a folder that PostgreSQL's user owns and no other user can enter. */
async function claimKnown(folder: string, name: string, identity: Identity): Promise<boolean> {
  if (!fits(folder) || !isNamedByUs(folder, name)) return false;
  try {
    await mkdir(folder, { mode: 0o700 });
    await lchown(folder, identity.uid, identity.gid);
  } catch {
    // The folder exists or cannot be created: checked below.
  }
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || found.uid !== identity.uid || (found.mode & 0o077) !== 0) return false;
  return canReach(identity, folder);
}

async function makeFolder(base: string, name: string, identity: Identity): Promise<string | undefined> {
  const prefix = join(base, `${name}-`);
  if (!fits(`${prefix}XXXXXX`)) return undefined;
  const folder = await mkdtemp(prefix).catch(() => undefined);
  if (!folder) return undefined;
  await chmod(folder, 0o700);
  await lchown(folder, identity.uid, identity.gid);
  if (await canReach(identity, folder)) return folder;
  await removeSocketFolder(folder, name);
  return undefined;
}

/** Call this only if no PostgreSQL uses the folder. rmdir keeps a folder in which another starter already has files. */
export async function removeSocketFolder(folder: string, name: string): Promise<void> {
  if (isNamedByUs(folder, name)) await rmdir(folder).catch(() => undefined);
}

/** Removes a folder that cannot be reused, with the socket and lock of a killed postmaster. */
async function sweep(folder: string, name: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!isNamedByUs(folder, name) || !found?.isDirectory() || found.uid !== process.getuid?.()) return;
  await unlink(socketPath(folder)).catch(() => undefined);
  await unlink(`${socketPath(folder)}.lock`).catch(() => undefined);
  await removeSocketFolder(folder, name);
}

import { chmod, lchown, lstat, mkdir, mkdtemp, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readIfThere, writeDurably } from './durable-file.ts';
import { EmbeddedError } from './error.ts';
import { canReach, type Identity } from './identity.ts';
import { socketPath } from './postmaster-file.ts';
import type { Site } from './site.ts';

/** A socket's path has 108 bytes on Linux and 104 on macOS, with the closing zero. */
const LONGEST = 103;

export interface SocketFolder {
  path: string;
  /** Made just now: nobody else can be using it. */
  fresh: boolean;
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'postgres.socket');
}

/**
 * The private folder of the socket: the one used before, made again when it vanished, so that pools find their way back; else a
 * new one. `stale` is what a dead postmaster's lock file names.
 */
export async function prepareSocketFolder(site: Site, identity: Identity, stale?: string): Promise<SocketFolder> {
  for (const known of [site.socketFolder, stale, await readRecord(site.dataDir)]) {
    if (!known) continue;
    if (await claimKnown(known, identity)) {
      await record(site.dataDir, known);
      return { path: known, fresh: false };
    }
    await sweep(known);
  }
  for (const base of [tmpdir(), '/tmp']) {
    const path = await makeFolder(base, identity);
    if (!path) continue;
    await record(site.dataDir, path);
    return { path, fresh: true };
  }
  throw new EmbeddedError('no usable temporary folder for the database socket: make /tmp writable or set TMPDIR');
}

/** The second line ties it to this folder: a copied DATA_DIR must not use the socket of the original. */
async function readRecord(dataDir: string): Promise<string | undefined> {
  const [folder, owner] = (await readIfThere(recordPath(dataDir)).catch(() => undefined))?.split('\n') ?? [];
  return owner === dataDir ? folder : undefined;
}

async function record(dataDir: string, folder: string): Promise<void> {
  if ((await readRecord(dataDir)) === folder) return;
  await writeDurably(recordPath(dataDir), `${folder}\n${dataDir}\n`);
}

/** The records lie where another user may write: root makes and removes no folder of another name on their word. */
function isNamedByUs(folder: string): boolean {
  return /^gatehouse-\w{6}$/.test(basename(folder));
}

function fits(folder: string): boolean {
  // The setting is a list: a comma or a quote in the path would split it.
  return Buffer.byteLength(socketPath(folder)) <= LONGEST && /^\/[\w./+-]*$/.test(folder);
}

/** Temporary folders are open to all: take only what belongs to PostgreSQL's user and nobody else can enter. */
async function claimKnown(folder: string, identity: Identity): Promise<boolean> {
  if (!fits(folder) || !isNamedByUs(folder)) return false;
  try {
    await mkdir(folder, { mode: 0o700 });
    await lchown(folder, identity.uid, identity.gid);
  } catch {
    // It exists, or cannot be made: the look below tells.
  }
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || found.uid !== identity.uid || (found.mode & 0o077) !== 0) return false;
  return canReach(identity, folder);
}

async function makeFolder(base: string, identity: Identity): Promise<string | undefined> {
  const prefix = join(base, 'gatehouse-');
  if (!fits(`${prefix}XXXXXX`)) return undefined;
  const folder = await mkdtemp(prefix).catch(() => undefined);
  if (!folder) return undefined;
  await chmod(folder, 0o700);
  await lchown(folder, identity.uid, identity.gid);
  if (await canReach(identity, folder)) return folder;
  await removeSocketFolder(folder);
  return undefined;
}

/** Only when nothing runs behind it. A starter that is quicker has its files in there already, and rmdir leaves it alone. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (isNamedByUs(folder)) await rmdir(folder).catch(() => undefined);
}

/** A folder that cannot be used again; a killed postmaster leaves socket and lock in it. */
async function sweep(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!isNamedByUs(folder) || !found?.isDirectory() || found.uid !== process.getuid?.()) return;
  await unlink(socketPath(folder)).catch(() => undefined);
  await unlink(`${socketPath(folder)}.lock`).catch(() => undefined);
  await removeSocketFolder(folder);
}

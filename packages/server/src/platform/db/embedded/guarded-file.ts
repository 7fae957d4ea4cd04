import { type FileHandle, constants as flag, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError, errorCode } from './error.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/** The ordinary user in whose folder root works: what root leaves there must stay usable for them, and links they lay must not lead root astray. */
export async function foreignOwner(folder: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(folder);
  return uid === 0 ? undefined : { uid, gid };
}

/** Opens a file in a folder that may belong to somebody else; one that root makes there becomes theirs. */
export async function openGuarded(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
  const host = await foreignOwner(dirname(path));
  if (!host) return open(path, flags, mode);
  // Not blocking, because there may lie a pipe on which nobody listens.
  const handle = await open(path, flags | flag.O_NOFOLLOW | flag.O_NONBLOCK, mode).catch((error) => {
    if (errorCode(error) === 'ELOOP') throw refusal(path, 'a symbolic link');
    throw error;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refusal(path, 'not a file');
    const fresh = found.uid === 0 && found.nlink === 1 && found.size === 0;
    // Perhaps a second name for a file of somebody else.
    if (found.uid !== host.uid && !fresh) throw refusal(path, `a file of uid ${found.uid}`);
    if (fresh) await handle.chown(host.uid, host.gid);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refusal(path: string, what: string): EmbeddedError {
  return new EmbeddedError(`${path} is ${what} in a folder of another user, which root does not use: remove it`);
}

/** Works inside a folder of one of these users which, opened once, cannot be exchanged for another folder or a link meanwhile. */
export async function pinned<T>(
  folder: string,
  uids: (number | undefined)[],
  work: (path: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(folder, flag.O_RDONLY | flag.O_DIRECTORY | flag.O_NOFOLLOW);
  try {
    const { uid } = await handle.stat();
    if (!uids.includes(uid)) throw new EmbeddedError(`${folder} belongs to uid ${uid}: remove it`);
    return await work(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder, handle);
  } finally {
    await handle.close();
  }
}

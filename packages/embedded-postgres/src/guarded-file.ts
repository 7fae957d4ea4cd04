import { type FileHandle, constants as flag, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedError, errorCode } from './error.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The owner of the folder if we are root and the owner is not. Files that root creates there must be usable by the
 * owner, and root must not follow the owner's links.
 */
export async function foreignOwner(folder: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(folder);
  return uid === 0 ? undefined : { uid, gid };
}

/** Opens a file in a folder that may belong to another user; a file that root creates there is given to that user. */
export async function openGuarded(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
  const host = await foreignOwner(dirname(path));
  if (!host) return open(path, flags, mode);
  // Non-blocking, because the path may be a named pipe without a writer.
  const handle = await open(path, flags | flag.O_NOFOLLOW | flag.O_NONBLOCK, mode).catch((error) => {
    if (errorCode(error) === 'ELOOP') throw unusableFile(path, 'a symbolic link');
    throw error;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw unusableFile(path, 'not a file');
    const fresh = found.uid === 0 && found.nlink === 1 && found.size === 0;
    // The file may be a hard link to a file of a third user.
    if (found.uid !== host.uid && !fresh) throw unusableFile(path, `a file of uid ${found.uid}`);
    if (fresh) await handle.chown(host.uid, host.gid);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function unusableFile(path: string, what: string): EmbeddedError {
  return new EmbeddedError(`${path} is ${what} in a folder of another user, which root does not use: remove it`);
}

/** Runs `work` in an open folder of one of these users; the folder cannot be swapped for another folder or link. */
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

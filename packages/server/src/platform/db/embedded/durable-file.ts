import { randomBytes } from 'node:crypto';
import { chown, link, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './error.ts';

/** Makes renames and new names inside a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeBeside(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await giveToFolderOwner(draft);
  return draft;
}

/** Root may serve a folder of an ordinary user: what root leaves there must stay usable for that user. */
export async function giveToFolderOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const folder = await stat(dirname(path));
  if (folder.uid !== 0) await chown(path, folder.uid, folder.gid);
}

/** Replaces a 0600 file: the old or the new content is there, never half of it. */
export async function writeDurably(path: string, content: string): Promise<void> {
  await rename(await writeBeside(path, content), path);
  await syncFolder(dirname(path));
}

/** Writes a 0600 file unless it exists; of two at once one wins. Answers the content that counts. */
export async function writeOnce(path: string, content: string): Promise<string> {
  const draft = await writeBeside(path, content);
  try {
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  await syncFolder(dirname(path));
  return readFile(path, 'utf8');
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

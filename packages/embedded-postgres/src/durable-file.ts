import { randomBytes } from 'node:crypto';
import { constants as flag, link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './error.ts';
import { openGuarded } from './guarded-file.ts';

/** Makes renames and new files in a folder survive a power failure. */
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
  const handle = await openGuarded(draft, flag.O_WRONLY | flag.O_CREAT | flag.O_EXCL);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return draft;
}

/** Replaces a file atomically and durably, with mode 0600. */
export async function writeDurably(path: string, content: string): Promise<void> {
  await rename(await writeBeside(path, content), path);
  await syncFolder(dirname(path));
}

/** Writes a 0600 file unless it exists, and returns its content. If called concurrently, one caller's content wins. */
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
  return (await readIfThere(path)) ?? content;
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const handle = await openGuarded(path, flag.O_RDONLY);
    try {
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

import { chmod, chown, copyFile, lchown, mkdir, open, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './durable-file.ts';

export interface Owner {
  uid: number;
  gid: number;
}

export interface CopyOptions {
  owner?: Owner;
  /** Names left out. */
  skip?: RegExp;
  /** Fixed permissions; without them files keep theirs and folders are 0700. */
  open?: boolean;
}

/** Copies a folder with everything in it and syncs every file to disk, so that the original may be removed afterwards. */
export async function copyTree(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { owner, skip } = options;
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (skip?.test(entry.name)) continue;
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target, options);
    else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source), target);
      if (owner) await lchown(target, owner.uid, owner.gid);
    } else if (entry.isFile()) {
      await copyFile(source, target);
      if (options.open) await chmod(target, 0o755);
      if (owner) await chown(target, owner.uid, owner.gid);
      await syncFile(target);
    }
  }
  if (options.open) await chmod(to, 0o755);
  if (owner) await chown(to, owner.uid, owner.gid);
  await syncFolder(to);
}

/** The folder itself comes last: its owner tells whether an interrupted change was finished. */
export async function chownTree(folder: string, owner: Owner): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await chownTree(path, owner);
    else await lchown(path, owner.uid, owner.gid);
  }
  await chown(folder, owner.uid, owner.gid);
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

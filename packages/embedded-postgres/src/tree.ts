import { constants, copyFile, lchown, mkdir, open, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Owner, pinned } from './guarded-file.ts';

interface CopyOptions {
  owner?: Owner;
  skip?: RegExp;
  /** Sets permissions to 0755; otherwise files keep theirs and folders are 0700. */
  open?: boolean;
}

/** Copies a folder and syncs every file, so that the original may be removed. The copy is private until complete. */
export async function copyTree(from: string, to: string, options: CopyOptions = {}): Promise<void> {
  const { owner, skip } = options;
  await mkdir(to, { mode: 0o700 });
  await pinned(to, [process.getuid?.()], async (inside, handle) => {
    for (const entry of await readdir(from, { withFileTypes: true })) {
      if (skip?.test(entry.name)) continue;
      const source = join(from, entry.name);
      const target = join(inside, entry.name);
      if (entry.isDirectory()) await copyTree(source, target, options);
      else if (entry.isSymbolicLink()) {
        await symlink(await readlink(source), target);
        if (owner) await lchown(target, owner.uid, owner.gid);
      } else if (entry.isFile()) {
        await copyFile(source, target, constants.COPYFILE_EXCL);
        await finishFile(target, options);
      }
    }
    if (options.open) await handle.chmod(0o755);
    if (owner) await handle.chown(owner.uid, owner.gid);
    await handle.sync();
  });
}

async function finishFile(path: string, options: CopyOptions): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (options.open) await handle.chmod(0o755);
    if (options.owner) await handle.chown(options.owner.uid, options.owner.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Changes the owner of a folder that only root can enter, recursively. The folder itself comes last: its owner shows
 * whether an interrupted change was completed.
 */
export async function chownTree(folder: string, owner: Owner, before: number[] = [0]): Promise<void> {
  await pinned(folder, before, async (inside, handle) => {
    for (const entry of await readdir(inside, { withFileTypes: true })) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) await chownTree(path, owner, [0, owner.uid]);
      else await lchown(path, owner.uid, owner.gid);
    }
    await handle.chown(owner.uid, owner.gid);
  });
}

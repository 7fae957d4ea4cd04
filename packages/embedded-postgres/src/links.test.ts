import { execFile } from 'node:child_process';
import { chown, link, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canReach } from './identity.ts';
import type { Overrides } from './site.ts';
import { installedEngine, makeWorkshop, type Workshop } from './workshop-fixture.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const usable = isRoot && (await canReach({ kind: 'account', uid: NOBODY, gid: NOBODY }, '/'));
const account: Overrides = { asRoot: 'account', shelters: [] };

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

/** A data folder of an ordinary user, empty or with a database, with files of root next to it. */
async function foreignDataDir(kind?: 'filled'): Promise<{ dataDir: string; file: string; folder: string }> {
  const parent = await workshop.dataDir('empty');
  const [dataDir, file, folder] = [join(parent, 'data'), join(parent, 'file'), join(parent, 'folder')];
  await mkdir(parent, { mode: 0o755 });
  if (kind) await rename(await workshop.dataDir(), dataDir);
  else await mkdir(dataDir, { mode: 0o700 });
  await promisify(execFile)('chown', ['-R', `${NOBODY}:${NOBODY}`, dataDir]);
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, 'inside'), 'of root');
  await writeFile(file, 'of root', { mode: 0o600 });
  return { dataDir, file, folder };
}

async function lay(target: string, path: string): Promise<void> {
  await symlink(target, path);
  await promisify(execFile)('chown', ['-h', `${NOBODY}:${NOBODY}`, path]);
}

async function expectUntouched(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const found = await lstat(path);
    expect({ path, uid: found.uid, open: found.mode & 0o077 & ~0o044 }).toEqual({ path, uid: 0, open: 0 });
    if (found.isFile()) expect(await readFile(path, 'utf8')).toBe('of root');
  }
}

describe.runIf(usable)('root in a folder of another user', () => {
  it.each(['postgres.log', 'postgres.password', 'postgres.lock'])(
    'root in a folder of another user does not follow a link called %s',
    async (name) => {
      const { dataDir, file } = await foreignDataDir();
      await lay(file, join(dataDir, name));
      await expect(workshop.open(dataDir)).rejects.toThrow(/is a symbolic link in a folder of another user/);
      await expectUntouched(file);
    },
  );

  it('root does not write through a hard link to a file of root', async () => {
    const { dataDir, file } = await foreignDataDir('filled');
    await rm(join(dataDir, 'postgres.log'), { force: true });
    await link(file, join(dataDir, 'postgres.log'));
    await expect(workshop.open(dataDir)).rejects.toThrow(/is a file of uid 0 in a folder of another user/);
    await expectUntouched(file);
  });

  it('root does not create a socket folder named by a planted record', async () => {
    const { dataDir, folder } = await foreignDataDir('filled');
    await writeFile(join(dataDir, 'postgres.socket'), `${folder}/x.service.d\n${dataDir}\n`);
    await chown(join(dataDir, 'postgres.socket'), NOBODY, NOBODY);
    const database = await workshop.open(dataDir);
    expect(await readdir(folder)).toEqual(['inside']);
    expect(database.connection.host).not.toContain(folder);
    await database.close();
  });

  it('root replaces a link called postgres.socket and writes nothing through it', async () => {
    const { dataDir, file } = await foreignDataDir('filled');
    await rm(join(dataDir, 'postgres.socket'), { force: true });
    await lay(join(file, '..', 'missing'), join(dataDir, 'postgres.socket'));
    const database = await workshop.open(dataDir);
    await database.close();
    await expect(lstat(join(file, '..', 'missing'))).rejects.toThrow(/ENOENT/);
    expect((await lstat(join(dataDir, 'postgres.socket'))).isFile()).toBe(true);
  });

  it('root does not chown a folder behind a link, whatever it contains', async () => {
    const { dataDir, folder } = await foreignDataDir();
    await lay(folder, join(dataDir, 'postgres'));
    await expect(workshop.open(dataDir, 'server', account)).rejects.toThrow(
      /link of uid 65534 to a file of another user/,
    );
    await writeFile(join(folder, 'PG_VERSION'), '18\n');
    await expect(workshop.open(dataDir, 'server', account)).rejects.toThrow(
      /link of uid 65534 to a file of another user/,
    );
    await expectUntouched(folder, join(folder, 'inside'));
  });

  it('root does not chown a folder of root that contains no database', async () => {
    const { dataDir, folder } = await foreignDataDir();
    await rename(folder, join(dataDir, 'postgres'));
    await expect(workshop.open(dataDir, 'server', account)).rejects.toThrow(/contains no database but is not empty/);
    await expectUntouched(join(dataDir, 'postgres'), join(dataDir, 'postgres', 'inside'));
  });

  it('root does not use a cluster location named by a planted record', async () => {
    const { dataDir, folder } = await foreignDataDir();
    await mkdir(join(folder, 'postgres'), { mode: 0o700 });
    await writeFile(join(folder, 'postgres', 'PG_VERSION'), '18\n');
    await writeFile(join(dataDir, 'postgres.home'), `${folder}\n`);
    await chown(join(dataDir, 'postgres.home'), NOBODY, NOBODY);
    await expect(workshop.open(dataDir, 'server', account)).rejects.toThrow(/was not created for this folder/);
    await expectUntouched(folder, join(folder, 'postgres'));
  });

  it('root does not copy the engine through a link', async () => {
    const { dataDir, folder } = await foreignDataDir();
    const native = join(folder, 'native');
    await promisify(execFile)('cp', ['-R', installedEngine(), native]);
    await lay(folder, join(dataDir, 'engine'));
    await expect(workshop.open(dataDir, 'server', { native })).rejects.toThrow(/cannot be used.*engine/);
    await expectUntouched(folder, join(folder, 'inside'));
  });

  it('root uses a database that its owner moved to another disk', async () => {
    const { dataDir, folder } = await foreignDataDir('filled');
    await rename(join(dataDir, 'postgres'), join(folder, '..', 'moved'));
    await lay(join(folder, '..', 'moved'), join(dataDir, 'postgres'));
    const database = await workshop.open(dataDir);
    expect(database.adopted).toBe(false);
    await database.close();
  });
});

import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canReach, NAMESPACE } from './identity.ts';
import type { Overrides } from './site.ts';
import { installedEngine, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const nobody = { kind: 'account', uid: NOBODY, gid: NOBODY } as const;
const namespaces = isRoot && (await canReach(NAMESPACE, '/'));
/** A checkout that only root can enter cannot be run by other users. */
const shared = isRoot && (await canReach(nobody, process.execPath, import.meta.dirname));

let workshop: Workshop;
let shelter: string;
beforeAll(async () => {
  workshop = await makeWorkshop();
  if (!isRoot) return;
  shelter = await mkdtemp('/var/tmp/embedded-test-');
  await chmod(shelter, 0o755);
});
afterAll(async () => {
  await workshop.clean();
  if (shelter) await rm(shelter, { recursive: true, force: true });
});

async function closedDataDir(): Promise<string> {
  const parent = await workshop.dataDir('empty');
  await mkdir(parent, { mode: 0o700 });
  return join(parent, 'data');
}

/** A PostgreSQL installation that only root can enter: the account that runs PostgreSQL needs a copy. */
async function closedEngine(dataDir: string): Promise<string> {
  const native = join(dataDir, '..', 'native');
  await promisify(execFile)('cp', ['-R', installedEngine(), native]);
  return native;
}

async function ownerOf(path: string): Promise<number> {
  return (await stat(path)).uid;
}

describe.runIf(namespaces)('root with a user namespace', () => {
  it('root with a user namespace runs PostgreSQL on files that only root can access', async () => {
    const dataDir = await closedDataDir();
    const database = await workshop.open(dataDir, 'server', { asRoot: 'namespace' });
    expect(await query(database, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(await ownerOf(join(dataDir, 'postgres'))).toBe(0);
    await database.close();
  });

  it('root moves the cluster out of the data folder if PostgreSQL must run as another account, and keeps using the new folder', async () => {
    const dataDir = await closedDataDir();
    const before = await workshop.open(dataDir, 'server', { asRoot: 'namespace' });
    await query(before, 'create table kept as select 42 as n');
    await before.close();
    for (const asRoot of ['account', 'namespace'] as const) {
      const after = await workshop.open(dataDir, 'server', { asRoot, shelters: [shelter] });
      expect(await query(after, 'select n from kept')).toEqual([{ n: 42 }]);
      const [row] = await query(after, `select current_setting('data_directory') as folder`);
      expect(row?.folder).toContain(shelter);
      expect(await ownerOf(row?.folder as string)).not.toBe(0);
      await after.close();
    }
    await expect(stat(join(dataDir, 'postgres'))).rejects.toThrow(/ENOENT/);
    await rm(shelter, { recursive: true });
    await mkdir(shelter);
    await expect(workshop.open(dataDir)).rejects.toThrow(/is missing: restore/);
  });

  it('root chowns the cluster in place if the account of PostgreSQL can enter the data folder', async () => {
    const dataDir = await workshop.dataDir();
    const before = await workshop.open(dataDir, 'server', { asRoot: 'namespace' });
    await query(before, 'create table kept as select 42 as n');
    await before.close();
    const after = await workshop.open(dataDir, 'server', { asRoot: 'account', shelters: [] });
    expect(await query(after, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(await ownerOf(join(dataDir, 'postgres'))).not.toBe(0);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o710);
    await after.close();
  });
});

describe.runIf(isRoot)('root without a user namespace', () => {
  it('root without a user namespace creates the cluster where the account of PostgreSQL can enter', async () => {
    const dataDir = await closedDataDir();
    const native = await closedEngine(dataDir);
    const overrides: Overrides = { asRoot: 'account', shelters: [shelter], native };
    const first = await workshop.open(dataDir, 'server', overrides);
    await query(first, 'create table kept as select 42 as n');
    const tool = await workshop.open(dataDir, 'tool', overrides);
    expect(tool.adopted).toBe(true);
    await tool.close();
    await first.close();
    const again = await workshop.open(dataDir, 'server', overrides);
    expect(await query(again, 'select n from kept')).toEqual([{ n: 42 }]);
    await again.close();
  });

  it('root without a user namespace fails with an explanation if nothing works', async () => {
    await expect(workshop.open(await closedDataDir(), 'server', { asRoot: 'account', shelters: [] })).rejects.toThrow(
      /run as another user or use a PostgreSQL server/,
    );
  });
});

describe.runIf(shared)('an ordinary user', () => {
  it('an ordinary user runs PostgreSQL directly; root can use the same folder and leaves it usable', async () => {
    const dataDir = await workshop.dataDir('empty');
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, NOBODY, NOBODY);
    const root = await workshop.open(dataDir);
    expect(await ownerOf(join(dataDir, 'postgres'))).toBe(NOBODY);
    await root.close();
    const owner = workshop.spawnOwner({ dataDir, role: 'server' }, { uid: NOBODY });
    expect(await owner.hears('ready')).toMatchObject({ adopted: false });
    const tool = await workshop.open(dataDir, 'tool');
    expect(tool.adopted).toBe(true);
    await tool.close();
    owner.child.stdin?.end();
    await owner.gone;
  });

  it('an ordinary user gets an error that names the owner of the database', async () => {
    const dataDir = await workshop.dataDir();
    await chmod(dataDir, 0o777);
    const owner = workshop.spawnOwner({ dataDir, role: 'server' }, { uid: NOBODY });
    expect((await owner.hears('error'))?.error).toMatch(/postgres\.password \(EACCES\): run as the user/);
  });
});

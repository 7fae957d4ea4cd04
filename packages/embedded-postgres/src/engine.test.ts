import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canReach } from './identity.ts';
import { installedEngine, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

const run = promisify(execFile);

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const nobody = { kind: 'account', uid: NOBODY, gid: NOBODY } as const;
const shared = isRoot && (await canReach(nobody, process.execPath, import.meta.dirname));

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

/** Returns the package as npm unpacks it without install scripts: no links, possibly not executable. */
async function unpackedEngine(): Promise<{ native: string; links: string[] }> {
  const native = join(await workshop.dataDir('empty'), 'native');
  await mkdir(dirname(native));
  await run('cp', ['-R', installedEngine(), native]);
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  const links = list.map(({ target }) => join(native, '..', target));
  for (const link of links) await rm(link, { force: true });
  for (const program of ['initdb', 'postgres']) await chmod(join(native, 'bin', program), 0o644);
  return { native, links };
}

describe('the engine of the embedded PostgreSQL', () => {
  it('the engine gets its links and executable bit if npm ran no scripts', async () => {
    const { native, links } = await unpackedEngine();
    expect(links).not.toEqual([]);
    const database = await workshop.open(await workshop.dataDir(), 'server', { native });
    for (const link of links) expect((await lstat(link)).isSymbolicLink()).toBe(true);
    await database.close();
  });

  it.runIf(shared)('the engine is copied next to the cluster if its folder is not writable', async () => {
    const { native } = await unpackedEngine();
    const dataDir = await workshop.dataDir('empty');
    await mkdir(dataDir, { mode: 0o700 });
    await chown(dataDir, NOBODY, NOBODY);
    const owner = workshop.spawnOwner({ dataDir, role: 'server', overrides: { native } }, { uid: NOBODY });
    const ready = await owner.hears('ready');
    expect(ready).toMatchObject({ adopted: false });
    await query(ready as unknown as Parameters<typeof query>[0], 'create extension pg_trgm');
    expect((await lstat(join(dataDir, 'engine', '18', 'bin', 'postgres'))).uid).toBe(NOBODY);
    owner.child.stdin?.end();
    await owner.gone;
  });

  it('suggests a PostgreSQL server if there are no binaries', async () => {
    vi.spyOn(process, 'arch', 'get').mockReturnValue('mips');
    try {
      await expect(workshop.open(await workshop.dataDir('empty'))).rejects.toThrow(
        /no PostgreSQL binaries for .*-mips .*use a PostgreSQL server/,
      );
    } finally {
      vi.restoreAllMocks();
    }
  });
});

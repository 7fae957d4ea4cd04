import { spawnSync } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimCluster } from './claim.ts';
import { findPostmaster } from './postmaster-file.ts';
import { isPostmasterOf, listClusterProcesses } from './process-state.ts';
import type { Site } from './site.ts';
import { CONTAINER, eventually, killCluster, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

const [unshare = '', ...flags] = CONTAINER;
const containers = spawnSync(unshare, [...flags, 'true']).status === 0;
const ELSEWHERE = /is run by another container or machine \(.+\): stop it there/;
type Database = Parameters<typeof query>[0];

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

async function countPostmasters(cluster: string): Promise<number> {
  const found = await Promise.all((await listClusterProcesses(cluster)).map((pid) => isPostmasterOf(pid, cluster)));
  return found.filter(Boolean).length;
}

describe.runIf(containers).each([
  ['with', {}],
  ['without', { flock: '/nonexistent/flock' }],
])('two containers on one data folder, %s flock', (_, overrides) => {
  it('of two containers on one data folder the second is rejected without damage', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir, 'server', overrides);
    await query(server, 'create table kept as select 42 as n');
    const others = (['server', 'tool'] as const).map((role) =>
      workshop.spawnOwner({ dataDir, role, overrides }, { within: CONTAINER }),
    );
    for (const other of others) expect((await other.hears('error'))?.error).toMatch(ELSEWHERE);
    // A forked process has the name of its parent for a moment, so that it would be counted too.
    await expect.poll(() => countPostmasters(join(dataDir, 'postgres'))).toBe(1);
    expect(await query(server, 'select n from kept')).toEqual([{ n: 42 }]);
    await server.close();
  });

  it('the second container does not touch processes of the first, which have other pids, and recovers the database once the first is gone', async () => {
    const parent = await workshop.dataDir('empty');
    // This path is longer than a socket path can be.
    const dataDir = join(parent, 'd'.repeat(120));
    await mkdir(parent, { mode: 0o755 });
    await rename(await workshop.dataDir(), dataDir);
    const other = workshop.spawnOwner({ dataDir, role: 'server', overrides }, { within: CONTAINER });
    const ready = (await other.hears('ready')) as unknown as Database;
    await query(ready, 'create table kept as select 42 as n');
    await expect(workshop.open(dataDir, 'server', overrides)).rejects.toThrow(ELSEWHERE);
    expect(await query(ready, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(await findPostmaster(join(dataDir, 'postgres'))).toBeUndefined();
    other.child.kill('SIGKILL');
    await other.gone;
    const next = await workshop.open(dataDir, 'server', overrides);
    expect(next.adopted).toBe(false);
    expect(await query(next, 'select n from kept')).toEqual([{ n: 42 }]);
    await next.close();
  });
});

describe.runIf(containers)('a database with a private /tmp', () => {
  it('a database with a private /tmp is joined by another process, and not restarted as if its socket were lost', async () => {
    const dataDir = await workshop.dataDir();
    const hidden = await workshop.dataDir('empty');
    await mkdir(hidden);
    const script = `mount -t tmpfs none ${hidden} && TMPDIR=${hidden} exec "$@"`;
    const owner = workshop.spawnOwner(
      { dataDir, role: 'server' },
      { within: ['unshare', '-m', 'sh', '-c', script, 'sh'] },
    );
    const ready = (await owner.hears('ready')) as unknown as Database;
    expect(ready.connection.host).toContain(hidden);
    const before = await findPostmaster(join(dataDir, 'postgres'));
    const tool = await workshop.open(dataDir, 'tool');
    expect(tool.adopted).toBe(true);
    expect(await query(tool, 'select 1 as n')).toEqual([{ n: 1 }]);
    await tool.close();
    expect(await findPostmaster(join(dataDir, 'postgres'))).toEqual(before);
    owner.child.stdin?.end();
    await owner.gone;
  });
});

describe.runIf(process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0)('the claim', () => {
  it('the claim on the data folder is kept by backends that outlived their postmaster', async () => {
    const dataDir = await workshop.dataDir();
    const cluster = join(dataDir, 'postgres');
    const site = { dataDir, overrides: {} } as Site;
    const owner = workshop.spawnOwner({ dataDir, role: 'server' });
    const ready = (await owner.hears('ready')) as unknown as Database;
    const long = query(ready, 'select count(*) from generate_series(1, 1e10)').catch(() => undefined);
    await eventually(async () => {
      const rows = await query(ready, `select from pg_stat_activity where state = 'active' and query like '%1e10%'`);
      expect(rows.length).toBeGreaterThan(1);
    });
    owner.child.kill('SIGKILL');
    await owner.gone;
    process.kill((await findPostmaster(cluster))?.pid as number, 'SIGKILL');
    await eventually(async () => expect(await listClusterProcesses(cluster)).toHaveLength(1));
    expect(await claimCluster(site, cluster)).toBeUndefined();
    await killCluster(cluster);
    await long;
    const claim = await claimCluster(site, cluster);
    expect(claim?.fd).toBeGreaterThan(0);
    expect(await claimCluster(site, cluster)).toBeUndefined();
    await claim?.release();
  });
});

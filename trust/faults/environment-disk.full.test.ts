import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '@gatehouse/embedded-postgres';
import { connectDatabase } from '../../packages/server/src/platform/db/connect.ts';
import { registerUser } from '../../packages/server/test/browser.ts';
import { startServer } from '../../packages/server/test/process.ts';
import { cases } from '../ledger.ts';
import { findFaults } from './invariants-fixture.ts';
import { startLoad } from './load-fixture.ts';
import { rememberPromises } from './promises-fixture.ts';
import { until } from './site-fixture.ts';

const OWNER = 'owner@example.com';

/** Mounts a disk that is small enough to be filled. Returns undefined if that is not permitted. */
function mountDisk(): { path: string; leave(): void } | undefined {
  const path = mkdtempSync(join(process.env.TRUST_FOLDER ?? tmpdir(), 'gh-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    leave() {
      execFileSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function fill(path: string, file: string): void {
  const { bavail, bsize } = statfsSync(path);
  try {
    if (bavail > 0) writeFileSync(file, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // Another process wrote at the same time, so the disk is full.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

cases(
  'a full disk under the embedded database: the service stays up, recovers, and loses nothing',
  async (ledger, context) => {
    const disk = mountDisk();
    if (!disk) return context.skip('a disk can only be mounted by root');
    const server = await startServer({
      cwd: disk.path,
      env: { DATA_DIR: disk.path, INITIAL_OWNER_EMAIL: OWNER, ACCESS_TOKEN_TTL: '1h' },
    });
    const owner = await registerUser(server.url, { email: OWNER });
    const promises = rememberPromises();
    const load = startLoad({ url: () => server.url, concurrency: 4, owner: () => owner.access_token, promises });
    try {
      await load.calm();
      const ballast = join(disk.path, 'ballast');
      await ledger.attempt('while the disk is full', async () => {
        // The loop also fills space that is freed in the meantime, for example by a checkpoint.
        for (let round = 0; round < 25; round++, await sleep(200)) {
          fill(disk.path, `${ballast}-${round}`);
        }
        const alive = await fetch(`${server.url}/healthz`);
        if (server.child.exitCode !== null) return `the service has ended: ${server.output().slice(-500)}`;
        if (load.failures.length === 0) return 'nothing failed: it was not full';
        return alive.status === 200 ? load.odd[0] : `/healthz was ${alive.status}`;
      });
      await ledger.attempt('after space was freed', async () => {
        for (let round = 0; round < 25; round++) rmSync(`${ballast}-${round}`, { force: true });
        const ended = performance.now();
        await load.calm();
        const recovery = Math.max(0, ...load.failures.map(({ at }) => at - ended));
        ledger.note(
          `disk full: ${promises.count} acknowledged, ${load.failures.length} failed, last failure ${Math.round(recovery)} ms after there was room`,
        );
        await until('it is ready', async () => (await fetch(`${server.url}/readyz`)).status === 200);
        return recovery > 5_000 ? `failures until ${Math.round(recovery)} ms after there was room` : undefined;
      });
      await load.stop();
      await ledger.attempt('nothing that was acknowledged is lost', async () => {
        const silent = { info: () => {}, warn: () => {} };
        const embedded = await openEmbedded({ name: 'gatehouse', dataDir: disk.path, role: 'tool', log: silent });
        const database = connectDatabase({ address: embedded.connection, poolSize: 1, onIdleError: () => {} });
        const faults = [...load.odd, ...(await promises.broken(database.db)), ...(await findFaults(database.db))];
        await database.close();
        await embedded.close();
        return faults[0];
      });
      await ledger.attempt('the service exits cleanly', async () => {
        const { code } = await server.stop();
        return code === 0 ? undefined : `it ended with ${code}`;
      });
    } finally {
      await load.stop();
      server.child.kill('SIGKILL');
      disk.leave();
    }
  },
  300_000,
);

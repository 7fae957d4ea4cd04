import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from './embedded.ts';
import { EmbeddedError } from './error.ts';
import { NAME } from './name-fixture.ts';
import { eventually, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

const STOPPED = /stopped before it had started/;
const silent = { info: () => undefined, warn: () => undefined };

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

/** All processes that use this folder, including initdb and its children. */
async function listProcesses(dataDir: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await readdir('/proc')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`${dataDir}/`)) found.push(Number(pid));
  }
  return found;
}

describe.runIf(process.platform === 'linux')('an aborted start', () => {
  it('an aborted start during initdb leaves no process and no partial cluster', async () => {
    const dataDir = await workshop.dataDir('empty');
    const { signal, abort } = controller();
    const opening = openEmbedded({ name: NAME, dataDir, role: 'server', log: silent, signal });
    opening.catch(() => undefined);
    await eventually(async () => expect(await listProcesses(dataDir)).not.toEqual([]));
    await sleep(100);
    // A stopped process does not end by itself.
    for (const pid of await listProcesses(dataDir)) process.kill(pid, 'SIGSTOP');
    abort();
    await expect(opening).rejects.toThrow(STOPPED);
    await expect(opening).rejects.toBeInstanceOf(EmbeddedError);
    expect(await listProcesses(dataDir)).toEqual([]);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres.lock', 'postgres.password']);
    const next = await workshop.open(dataDir);
    await next.close();
  });

  it('an aborted start stops PostgreSQL at any moment of its start', async () => {
    const dataDir = await workshop.dataDir();
    for (const wait of [0, 40, 80, 130]) {
      const { signal, abort } = controller();
      const opening = openEmbedded({ name: NAME, dataDir, role: 'server', log: silent, signal });
      setTimeout(abort, wait);
      const outcome = await opening.then(
        (database) => ({ database, late: !signal.aborted }),
        (error: Error) => error,
      );
      if (outcome instanceof Error) expect(outcome.message).toMatch(STOPPED);
      else {
        await outcome.database.close();
        expect(outcome.late).toBe(true);
      }
      expect(await listProcesses(dataDir)).toEqual([]);
    }
    const next = await workshop.open(dataDir);
    expect(await query(next, 'select 1 as n')).toEqual([{ n: 1 }]);
    await next.close();
  });

  it('a start aborted near its end leaves the database running for other processes', async () => {
    const dataDir = await workshop.dataDir();
    const tool = await workshop.open(dataDir, 'tool');
    const blocker = new pg.Client({ ...tool.connection, database: 'postgres' });
    await blocker.connect();
    const servers = `select from pg_stat_activity where application_name like '${NAME} server%'`;
    // Takes the lock of a running server, for which the second start has to wait.
    await blocker.query("select pg_advisory_lock(x'67617465'::int, 2)");
    const { signal, abort } = controller();
    const opening = openEmbedded({ name: NAME, dataDir, role: 'server', log: silent, signal });
    opening.catch(() => undefined);
    await eventually(async () => expect(await query(tool, servers)).toHaveLength(1));
    abort();
    await blocker.query('select pg_advisory_unlock_all()');
    await expect(opening).rejects.toThrow(STOPPED);
    await eventually(async () => expect(await query(tool, servers)).toHaveLength(0));
    await blocker.end();
    await tool.close();
    expect(await listProcesses(dataDir)).toEqual([]);
  });

  it('an abort before the start or after its success does nothing', async () => {
    const dataDir = await workshop.dataDir();
    const opening = openEmbedded({ name: NAME, dataDir, role: 'tool', log: silent, signal: AbortSignal.abort() });
    await expect(opening).rejects.toThrow(STOPPED);
    const { signal, abort } = controller();
    const database = await openEmbedded({ name: NAME, dataDir, role: 'tool', log: silent, signal });
    abort();
    expect(await query(database, 'select 1 as n')).toEqual([{ n: 1 }]);
    await database.close();
  });
});

function controller(): { signal: AbortSignal; abort: () => void } {
  const made = new AbortController();
  return { signal: made.signal, abort: () => made.abort() };
}

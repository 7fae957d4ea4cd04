import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAME } from './name-fixture.ts';
import { findPostmaster } from './postmaster-file.ts';
import { isRunning } from './process-state.ts';
import { eventually, killCluster, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

async function postmasterOf(dataDir: string): Promise<number> {
  return (await findPostmaster(join(dataDir, 'postgres')))?.pid ?? Number.NaN;
}

describe('a stale lock file', () => {
  it('a lock file with the pid of a different process or of a zombie, or an empty one, does not prevent a start', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [output] = await once(parent.stdout as NodeJS.ReadableStream, 'data');
      const zombie = Number(String(output));
      await eventually(async () => {
        if (await isRunning(zombie)) throw new Error('not yet dead');
      });
      const dataDir = await workshop.dataDir();
      const owner = workshop.spawnOwner({ dataDir, role: 'server' });
      await owner.hears('ready');
      owner.child.kill('SIGKILL');
      await owner.gone;
      const lockFile = join(dataDir, 'postgres', 'postmaster.pid');
      const content = await readFile(lockFile, 'utf8');
      await killCluster(join(dataDir, 'postgres'));
      // A postmaster that is killed while it creates the file leaves it empty.
      const contents = [...[parent.pid, zombie].map((pid) => content.replace(/^\d+/, String(pid))), ''];
      for (const stale of contents) {
        await writeFile(lockFile, stale);
        const database = await workshop.open(dataDir);
        expect(database.adopted).toBe(false);
        expect(parent.exitCode).toBeNull();
        await database.close();
      }
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

describe('the supervisor', () => {
  it('restarts a killed postmaster on the same socket and takes the locks again', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    const tool = await workshop.open(dataDir, 'tool');
    const { host } = server.connection;
    const before = await postmasterOf(dataDir);
    process.kill(before, 'SIGKILL');
    await eventually(() => query(server, 'select 1'));
    expect(await postmasterOf(dataDir)).not.toBe(before);
    expect(server.connection.host).toBe(host);
    await eventually(async () => {
      const [row] = await query(server, `select count(*)::int as n from pg_locks where locktype = 'advisory'`);
      expect(row).toEqual({ n: 3 });
    });
    await expect(workshop.open(dataDir)).rejects.toThrow(/already runs/);
    expect(workshop.logged).toContain('the embedded database is back');
    await tool.close();
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
    await server.close();
    expect(await postmasterOf(dataDir)).toBeNaN();
  });

  it('reconnects after a crashed backend, which makes PostgreSQL restart itself', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    const pid = await postmasterOf(dataDir);
    const [backend] = await query(
      server,
      `select pid from pg_stat_activity where application_name like '${NAME} server%'`,
    );
    process.kill(backend?.pid as number, 'SIGKILL');
    await eventually(async () => {
      const [row] = await query(server, `select count(*)::int as n from pg_locks where locktype = 'advisory'`);
      expect(row).toEqual({ n: 2 });
    });
    expect(await postmasterOf(dataDir)).toBe(pid);
    await server.close();
  });

  it('ends backends that outlived their postmaster in a long query', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    const long = query(server, 'select count(*) from generate_series(1, 1e10)').catch((error: Error) => error);
    await eventually(async () => {
      const rows = await query(
        server,
        `select from pg_stat_activity where state = 'active' and query like '%1e10%' and pid <> pg_backend_pid()`,
      );
      expect(rows).toHaveLength(1);
    });
    process.kill(await postmasterOf(dataDir), 'SIGKILL');
    await eventually(() => query(server, 'select 1'));
    expect(await long).toBeInstanceOf(Error);
    await server.close();
  });

  it('is stopped by close() while the database is down', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    process.kill(await postmasterOf(dataDir), 'SIGKILL');
    await server.close();
    const next = await workshop.open(dataDir);
    expect(await query(next, 'select 1 as n')).toEqual([{ n: 1 }]);
    await next.close();
  });
});

describe('a running database whose socket folder was removed', () => {
  it('is restarted with the same socket path while in use', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    const tool = await workshop.open(dataDir, 'tool');
    const { host } = server.connection;
    await rm(host, { recursive: true });
    await eventually(() => query(server, 'select 1'));
    await eventually(() => query(tool, 'select 1'));
    expect(server.connection.host).toBe(host);
    await expect(workshop.open(dataDir)).rejects.toThrow(/already runs/);
    await tool.close();
    await server.close();
    expect(await postmasterOf(dataDir)).toBeNaN();
  });

  it('is restarted by a new start', async () => {
    const dataDir = await workshop.dataDir();
    const owner = workshop.spawnOwner({ dataDir, role: 'server' });
    await owner.hears('ready');
    owner.child.kill('SIGKILL');
    await owner.gone;
    const running = await findPostmaster(join(dataDir, 'postgres'));
    await rm(running?.socketFolder ?? '', { recursive: true });
    const next = await workshop.open(dataDir);
    expect(next.adopted).toBe(false);
    expect(await query(next, 'select 1 as n')).toEqual([{ n: 1 }]);
    await next.close();
  });
});

import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedError } from './error.ts';
import { NAME } from './name-fixture.ts';
import { findPostmaster } from './postmaster-file.ts';
import { eventually, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

async function runsIn(dataDir: string): Promise<boolean> {
  return (await findPostmaster(join(dataDir, 'postgres'))) !== undefined;
}

describe('the embedded PostgreSQL', () => {
  it('is created at the first start, private, durable and without a TCP port', async () => {
    const dataDir = await workshop.dataDir('empty');
    const database = await workshop.open(dataDir);
    expect(database.adopted).toBe(false);
    const [row] = await query(
      database,
      `select current_database() as name, current_setting('listen_addresses') as listen, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages,
       current_setting('timezone') as timezone, lower('ÄÖ') as lowered`,
    );
    expect(row).toEqual({
      name: NAME,
      listen: '',
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      timezone: 'UTC',
      lowered: 'äö',
    });
    for (const folder of [dataDir, join(dataDir, 'postgres'), database.connection.host]) {
      expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    }
    expect((await lstat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
    await expect(query({ connection: { ...database.connection, password: 'wrong' } }, 'select 1')).rejects.toThrow(
      /password/,
    );
    await database.close();
  });

  it('keeps the data across a restart and leaves no socket folder', async () => {
    const dataDir = await workshop.dataDir();
    const before = await workshop.open(dataDir);
    await query(before, 'create table kept as select 42 as n');
    await before.close();
    await expect(lstat(before.connection.host)).rejects.toThrow(/ENOENT/);
    const after = await workshop.open(dataDir);
    expect(await query(after, 'select n from kept')).toEqual([{ n: 42 }]);
    await after.close();
  });

  it('rejects a second server, naming the pid of the first', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    const second = workshop.spawnOwner({ dataDir, role: 'server' });
    const answer = await second.hears('error');
    expect(answer?.error).toMatch(new RegExp(`another server \\(pid ${process.pid}\\) already runs on`));
    await expect(workshop.open(dataDir)).rejects.toBeInstanceOf(EmbeddedError);
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
    await server.close();
  });

  it('a tool can join and leave a running server; the last process stops the database', async () => {
    const dataDir = await workshop.dataDir();
    const server = await workshop.open(dataDir);
    const tool = await workshop.open(dataDir, 'tool');
    expect(tool.adopted).toBe(true);
    await tool.close();
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
    const late = await workshop.open(dataDir, 'tool');
    await server.close();
    expect(await query(late, 'select 1 as n')).toEqual([{ n: 1 }]);
    await late.close();
    expect(await runsIn(dataDir)).toBe(false);
  });

  it('can be opened by a second process while the first one stops it', async () => {
    const dataDir = await workshop.dataDir();
    for (let round = 0; round < 5; round++) {
      const leaving = await workshop.open(dataDir);
      const [, newUser] = await Promise.all([leaving.close(), workshop.open(dataDir, 'tool')]);
      expect(await query(newUser, 'select 1 as n')).toEqual([{ n: 1 }]);
      await newUser.close();
    }
    expect(await runsIn(dataDir)).toBe(false);
  });

  it('is started once by concurrent first starts', async () => {
    const dataDir = await workshop.dataDir('empty');
    const all = await Promise.all([1, 2, 3].map(() => workshop.open(dataDir, 'tool')));
    expect(all.filter(({ adopted }) => !adopted)).toHaveLength(1);
    for (const database of all) expect(await query(database, 'select 1 as n')).toEqual([{ n: 1 }]);
    await Promise.all(all.map((database) => database.close()));
    expect(await runsIn(dataDir)).toBe(false);
  });

  it('is adopted by another process after its owner was killed', async () => {
    const dataDir = await workshop.dataDir();
    const owner = workshop.spawnOwner({ dataDir, role: 'server' });
    expect(await owner.hears('ready')).toMatchObject({ adopted: false });
    owner.child.kill('SIGKILL');
    await owner.gone;
    const next = await workshop.open(dataDir);
    expect(next.adopted).toBe(true);
    await next.close();
    expect(await runsIn(dataDir)).toBe(false);
  });

  it('stops when its owner exits cleanly', async () => {
    const dataDir = await workshop.dataDir();
    const owner = workshop.spawnOwner({ dataDir, role: 'tool' });
    await owner.hears('ready');
    owner.child.stdin?.end();
    await owner.gone;
    await eventually(async () => {
      if (await runsIn(dataDir)) throw new Error('still running');
    });
  });

  it('reports a cluster of another version in one line, and shows the log if a start fails', async () => {
    const dataDir = await workshop.dataDir();
    const version = join(dataDir, 'postgres', 'PG_VERSION');
    await writeFile(version, '17\n');
    await expect(workshop.open(dataDir)).rejects.toThrow(/created by PostgreSQL 17, but this version runs 18/);
    await writeFile(version, '18\n');
    await writeFile(join(dataDir, 'postgres', 'postgresql.conf'), 'nonsense = 1\n');
    await expect(workshop.open(dataDir)).rejects.toThrow(
      /did not start \(exit code 1\)[\s\S]*unrecognized configuration parameter "nonsense"/,
    );
  });

  it('recovers from an incomplete initdb', async () => {
    const dataDir = await workshop.dataDir('empty');
    const leftover = join(dataDir, 'postgres.new-2147483646-abc');
    await mkdir(join(leftover, 'postgres', 'base'), { recursive: true });
    await mkdir(join(dataDir, 'postgres'));
    const database = await workshop.open(dataDir);
    await expect(lstat(leftover)).rejects.toThrow(/ENOENT/);
    expect(await readFile(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18\n');
    await database.close();
  });
});

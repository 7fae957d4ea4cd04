import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { openPinned, type Pinned } from './pinned.ts';
import { freePort } from './ports.ts';
import { SECRET } from './postgres.ts';
import { launchServer, runCommand, type Server, startServer } from './process.ts';
import { untilBlocked } from './records.ts';
import { NO_LOAD_SHEDDING, TIMEOUT_MS } from './timeouts.ts';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-workers-'));
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const METRICS_TOKEN = 'Zr81mP4kq0-token-of-the-monitor';
const settings = (env: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  JWT_SECRET: SECRET,
  PUBLIC_BASE_URL: 'http://localhost:8080',
  WORKERS: '2',
  LOG_LEVEL: 'debug',
  METRICS_TOKEN,
  ...env,
});
const start = (env: Record<string, string> = {}) => startServer({ cwd: folder, env: settings(env) });

type Running = Pick<Server, 'url' | 'child' | 'finished' | 'output'>;

/** Starts a server and sends SIGHUP before it has started its workers. */
async function startWithHangUp(): Promise<Running> {
  const PORT = String(await freePort());
  // Migrating waits for this lock.
  const blocker = await database.db.startTransaction().execute();
  await sql`lock table schema_migrations in access exclusive mode`.execute(blocker);
  const server = launchServer({ cwd: folder, env: settings({ ...NO_LOAD_SHEDDING, PORT }) });
  await untilBlocked(database, 1, server);
  server.child.kill('SIGHUP');
  await blocker.rollback().execute();
  await vi.waitFor(() => expect(server.output()).toContain('"msg":"ready"'), { timeout: TIMEOUT_MS });
  return { ...server, url: `http://127.0.0.1:${PORT}` };
}

interface Line {
  readonly msg: string;
  readonly pid: number;
  readonly worker?: number;
}

/** The lines of the log that contain this text. */
const linesWith = (server: Running, text: string): Line[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes(text) && line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));

const countLogged = (server: Running, msg: string): number => linesWith(server, `"msg":"${msg}"`).length;

/** Returns the log line of a request, which names the process that answered. */
async function whoAnswered(server: Running, id: string): Promise<Line> {
  const find = () => linesWith(server, id)[0];
  await expect.poll(find).toBeDefined();
  return find()!;
}

/** Opens a connection to each of the two workers, in the order of their numbers. */
async function pinToBoth(server: Running): Promise<{ pins: Pinned[]; pids: number[] }> {
  const found = new Map<number, { pin: Pinned; pid: number }>();
  while (found.size < 2) {
    const pin = openPinned(server.url);
    const { id } = await pin.ask('/v1/auth/options');
    const { worker, pid } = await whoAnswered(server, id);
    if (found.has(worker!)) pin.close();
    else found.set(worker!, { pin, pid });
  }
  const both = [found.get(1)!, found.get(2)!];
  return { pins: both.map(({ pin }) => pin), pids: both.map(({ pid }) => pid) };
}

const metric = async (server: Running, series: string): Promise<number> => {
  const { json: text } = await openPinned(server.url, false).ask('/metrics', { token: METRICS_TOKEN });
  const line = (text as string).split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return Number(line?.slice(series.length));
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('two workers behind one port', () => {
  let server: Running;
  beforeAll(async () => {
    server = await startWithHangUp();
  });
  afterAll(async () => {
    server.child.kill('SIGKILL');
    await server.finished;
  });
  /** The number of successful requests for /healthz in this file. */
  let asked = 0;
  const healthy = async (pin: Pinned): Promise<string> => {
    const answer = await pin.ask('/healthz').then(
      ({ status }) => String(status),
      (error) => `${error.code} ${error.message}`,
    );
    if (answer === '200') asked++;
    return answer;
  };
  const counted = () =>
    metric(server, 'gatehouse_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}');

  it('SIGHUP replaces both workers under load: no request fails, and no metric loses its count', async () => {
    const failed: string[] = [];
    let ended = false;
    const load = async (pin: Pinned): Promise<void> => {
      while (!ended) {
        const answer = await healthy(pin);
        if (answer !== '200') failed.push(answer);
        // Enough load that a faulty replacement would fail requests, but not so much that a new worker cannot start.
        await sleep(30);
      }
    };
    const pins = Array.from({ length: 3 }, (_, index) => openPinned(server.url, index < 2 ? undefined : false));
    const loads = pins.map(load);
    try {
      // The SIGHUP that was sent during the start takes effect once the workers run.
      await expect.poll(() => countLogged(server, 'replacing the workers, one after the other')).toBe(1);
      // A SIGHUP during a replacement starts another one after it.
      server.child.kill('SIGHUP');
      await expect.poll(() => countLogged(server, 'all workers were replaced')).toBe(2);
    } finally {
      ended = true;
      await Promise.all(loads);
    }
    expect(failed).toEqual([]);
    const pids = [...new Set(linesWith(server, '"worker":').map(({ pid }) => pid))];
    expect(pids.length).toBeGreaterThan(3);
    await expect.poll(() => pids.filter(isAlive)).toHaveLength(2);
    await expect.poll(counted).toBe(asked);
    expect(await metric(server, 'gatehouse_workers')).toBe(2);
    for (const pin of pins) pin.close();
  });

  it('the service logs once that it is ready, with its version, and prints no banner without a terminal', () => {
    expect(server.output().match(/"version":.*"msg":"ready"/g)).toHaveLength(1);
    expect(server.output()).not.toContain('is ready after');
  });

  it('a session that one worker ended is refused by the other in the next request', async () => {
    const { pins } = await pinToBoth(server);
    const owner = { email: 'o@example.com', password: 'a long enough password', organization_name: 'Example' };
    await pins[0]!.ask('/v1/auth/register', { method: 'POST', body: owner });
    for (let round = 0; round < 4; round++) {
      const [here, there] = round % 2 === 0 ? pins : pins.toReversed();
      const signedIn = await here!.ask('/v1/auth/login', { method: 'POST', body: owner });
      const token: string = signedIn.json.access_token;
      // Both workers cache the session.
      for (const pin of pins) expect((await pin.ask('/v1/auth/session', { token })).status).toBe(200);
      expect((await here!.ask('/v1/auth/logout', { method: 'POST', token })).status).toBe(204);
      expect((await there!.ask('/v1/auth/session', { token })).status, `round ${round}`).toBe(401);
    }
    for (const pin of pins) pin.close();
  });

  it('every worker requires METRICS_TOKEN and returns the metrics of both workers', async () => {
    const { pins } = await pinToBoth(server);
    for (const pin of pins) {
      expect((await pin.ask('/metrics')).status).toBe(401);
      expect((await pin.ask('/metrics', { token: `${METRICS_TOKEN}x` })).status).toBe(401);
      expect((await pin.ask('/metrics', { token: METRICS_TOKEN })).json).toContain('gatehouse_workers 2\n');
    }
    for (const pin of pins) expect(await healthy(pin)).toBe('200');
    await expect.poll(counted).toBe(asked);
    expect(server.output()).not.toContain(METRICS_TOKEN);
    for (const pin of pins) pin.close();
  });

  it('a killed worker is replaced, and the other one still answers', async () => {
    const { pins, pids } = await pinToBoth(server);
    // Requests on connections that the dying worker had accepted may never be answered.
    let ended = false;
    const load = async (): Promise<void> => {
      while (!ended) {
        await openPinned(server.url, false).ask('/v1/auth/options');
        await sleep(50);
      }
    };
    for (let count = 0; count < 4; count++) load().catch(() => {});
    await healthy(pins[0]!);
    process.kill(pids[0]!, 'SIGKILL');
    expect(await healthy(pins[1]!)).toBe('200');
    await expect.poll(() => countLogged(server, 'the worker is back')).toBe(1);
    ended = true;
    const after = await pinToBoth(server);
    expect(after.pids[0]).not.toBe(pids[0]);
    expect(after.pids[1]).toBe(pids[1]);
    for (const pin of [...pins, ...after.pins]) pin.close();
  });

  it('SIGTERM stops all workers', async () => {
    const { pids } = await pinToBoth(server);
    server.child.kill('SIGTERM');
    expect((await server.finished).code).toBe(0);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});

describe('when the primary fails', () => {
  it('kill -9 of the primary stops all workers', async () => {
    const server = await start();
    const { pids } = await pinToBoth(server);
    await server.kill();
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  it.each([
    ['two workers', '2', runCommand],
    ['one process', '1', runHere],
  ])('%s: a port in use is reported in one line', async (_, WORKERS, run) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const env = settings({ WORKERS, PORT: String(port), LOG_LEVEL: 'error' });
    const refused = await run(['serve'], { cwd: folder, env });
    other.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(
      `✗ 127.0.0.1:${port} is in use by another program. Stop it, or set PORT to a free port, for example PORT=${port + 1}.\n`,
    );
  });
});

describe('one process', () => {
  it('a second Ctrl-C during the drain exits at once; a first one that is delivered twice does not', async () => {
    const server = await start({ WORKERS: '1', DRAIN_SECONDS: '60' });
    server.child.kill('SIGINT');
    server.child.kill('SIGINT');
    await expect.poll(() => countLogged(server, 'stopping')).toBe(1);
    await sleep(1_500);
    expect(server.child.exitCode).toBeNull();
    server.child.kill('SIGINT');
    expect((await server.finished).code).toBe(130);
  });

  it('SIGHUP stops a service of one process like SIGTERM', async () => {
    const server = await start({ WORKERS: '1' });
    expect((await openPinned(server.url, false).ask('/healthz')).status).toBe(200);
    expect(linesWith(server, '"worker":')).toEqual([]);
    server.child.kill('SIGHUP');
    const { code, stdout } = await server.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('"signal":"SIGHUP"');
  });
});

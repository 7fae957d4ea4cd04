import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../database.ts';
import { SECRET } from '../postgres.ts';
import { runCommand, type Server, startServer } from '../process.ts';
import { untilBlocked } from '../records.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-race-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const running: Server[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.kill())));

const start = async (env: Record<string, string | undefined>) => {
  const server = await startServer({ cwd: folder, env });
  running.push(server);
  return server;
};

const keySet = async (server: Server) =>
  (await (await fetch(`${server.url}/.well-known/jwks.json`)).json()) as { keys: object[] };

describe('servers on one DATABASE_URL', () => {
  it('servers start concurrently on an empty database, share one signing key, learn of a rotation, and stop cleanly', async () => {
    const database = await createTestDatabase({ empty: true });
    const env = { DATABASE_URL: database.url };
    const servers = await Promise.all([1, 2].map(() => start(env)));
    const sets = await Promise.all(servers.map((server) => keySet(server)));
    expect(sets[0]!.keys).toHaveLength(1);
    expect(sets[1]).toEqual(sets[0]);
    const audit = await database.db.selectFrom('audit_events').select('action').execute();
    // One key for access tokens, and one for the tokens of applications.
    expect(audit).toEqual([{ action: 'signing_key.created' }, { action: 'signing_key.created' }]);

    const port = new URL(servers[0]!.url).port;
    const keyEnv = { ...env, JWT_SECRET: SECRET, PUBLIC_BASE_URL: `http://localhost:${port}` };
    const rotated = await runCommand(['keys', 'rotate'], { cwd: folder, env: keyEnv });
    expect(rotated.stdout).toContain('Published');
    expect(rotated.code).toBe(0);
    for (const server of servers) {
      await expect.poll(async () => (await keySet(server)).keys.length, { timeout: INVALIDATED_WITHIN_MS }).toBe(2);
    }
    const ends = await Promise.all(servers.map((server) => server.stop()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    await database.close();
  });

  it('SIGTERM: a running request is completed, and an incomplete one does not delay the exit', async () => {
    const database = await createTestDatabase();
    const server = await start({ DATABASE_URL: database.url });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: '));
    socket.on('error', () => {});
    // The lock keeps /readyz waiting in the server.
    const blocker = await database.db.startTransaction().execute();
    await sql`lock table schema_migrations in access exclusive mode`.execute(blocker);
    const underWay = fetch(`${server.url}/readyz`);
    await untilBlocked(database, 1);
    const ended = server.stop();
    const probe = () => fetch(`${server.url}/healthz`).catch(() => 'closed');
    await expect.poll(probe).toBe('closed');
    await blocker.commit().execute();
    const answer = await underWay;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: 'not_ready' });
    const end = await ended;
    expect(end.code, end.stdout).toBe(0);
    await database.close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { examineHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { SECRET } from './postgres.ts';

/** Longer than the five seconds of the default connection timeout. */
const WAKE_UP_MS = 5_500;

const folder = mkdtempSync(join(tmpdir(), 'gh-waking-'));
const { host, port, user, password } = inject('postgres');
/** Wakes up after the first connection: later ones are accepted at the same time, or at once. */
let awake: Promise<void> | undefined;
const gate = createServer(async (socket) => {
  socket.on('error', () => {});
  awake ??= sleep(WAKE_UP_MS);
  await awake;
  if (socket.destroyed) return;
  const database = connect(join(host, `.s.PGSQL.${port}`)).on('error', () => socket.destroy());
  socket.pipe(database).pipe(socket);
});
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  gate.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ['', 'failed'],
  ['?connect_timeout=50', 'ok'],
])('doctor with a slow database and the parameters "%s" in DATABASE_URL: the finding is %s', async (query, status) => {
  awake = undefined;
  const at = (gate.address() as AddressInfo).port;
  const DATABASE_URL = `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${at}/${database.name}${query}`;
  const env = { DATABASE_URL, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' };
  const found = (await examineHere({ cwd: folder, env }))('database')!;
  expect(found.status).toBe(status);
  if (status === 'failed') expect(found.fix).toContain('connect_timeout=20');
});

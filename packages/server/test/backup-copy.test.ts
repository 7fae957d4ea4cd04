import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createBrowser, refreshWith, registerPerson } from './browser.ts';
import { type Server, startServer } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'gh-copy-'));
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(cwd: string): Promise<Server> {
  const server = await startServer({ cwd, env: { JWT_SECRET: undefined, PUBLIC_BASE_URL: undefined } });
  servers.push(server);
  return server;
}

it('docs/backups.md: a copy of DATA_DIR and .env of a service that was stopped is the service', async () => {
  const [place, copy] = [mkdtempSync(join(folder, 'old-')), join(folder, 'new')];
  const old = await start(place);
  const person = await registerPerson(old.url);
  await old.stop();
  expect(existsSync(join(place, 'data/postgres/postmaster.pid'))).toBe(false);
  cpSync(place, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  rmSync(place, { recursive: true });
  const { url } = await start(copy);
  const { email, password } = person;
  expect((await createBrowser(url).post('/auth/login', { email, password })).status).toBe(200);
  expect((await refreshWith(url, person.browser.jar.get('service_rt')!)).status).toBe(200);
});

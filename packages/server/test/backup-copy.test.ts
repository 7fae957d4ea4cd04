import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createBrowser, refreshWith, registerUser } from './browser.ts';
import { type Server, startServer } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'gh-copy-'));
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const page = readFileSync(join(import.meta.dirname, '../../../docs/backups.md'), 'utf8');
/** The commands of the page between stopping and starting the service. */
const commands = /^systemctl stop gatehouse\n(install .*)\n(data=.*)\n((?:.*\n)*?)systemctl start gatehouse/m.exec(
  page,
)!;

async function start(cwd: string): Promise<Server> {
  const server = await startServer({ cwd, env: { JWT_SECRET: undefined, PUBLIC_BASE_URL: undefined } });
  servers.push(server);
  return server;
}

it('docs/backups.md: a stopped service can be restored from a copy of DATA_DIR and .env', async () => {
  const [place, copy] = [mkdtempSync(join(folder, 'old-')), mkdtempSync(join(folder, 'new-'))];
  const old = await start(place);
  const user = await registerUser(old.url);
  await old.stop();
  const script = `${commands[1]}\ndata=${place}/data env=${place}/.env\n${commands[3]}`;
  const pid = join(place, 'data/postgres/postmaster.pid');
  expect(existsSync(pid)).toBe(false);
  const run = () => execFileSync('sh', ['-c', script], { cwd: copy, stdio: 'pipe' });
  mkdirSync(pid);
  expect(run).toThrow();
  rmSync(pid, { recursive: true });
  run();
  expect(statSync(join(copy, 'gatehouse.tgz')).mode & 0o777).toBe(0o600);
  rmSync(place, { recursive: true });
  execFileSync('tar', ['-xzpf', join(copy, 'gatehouse.tgz'), '-C', copy]);
  const unpacked = join(folder, 'unpacked');
  renameSync(join(copy, place), unpacked);
  const { url } = await start(unpacked);
  const { email, password } = user;
  expect((await createBrowser(url).post('/auth/login', { email, password })).status).toBe(200);
  expect((await refreshWith(url, user.browser.jar.get('service_rt')!)).status).toBe(200);
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, refreshWith, registerUser } from './browser.ts';
import { examineHere, runHere } from './command-here.ts';
import { useTestDatabase } from './database.ts';
import { SECRET } from './postgres.ts';
import { launchServer, runCommand, type Server, startServer } from './process.ts';

let folder: string;
let servers: Server[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-service-'));
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const start = async (env = {}) => {
  const server = await startServer({ cwd: folder, env: { JWT_SECRET: undefined, PUBLIC_BASE_URL: undefined, ...env } });
  servers.push(server);
  return server;
};
const kids = async (server: Server) =>
  ((await (await fetch(`${server.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }).keys.map(
    ({ kid }) => kid,
  );
const command = (...args: string[]) => runCommand(args, { cwd: folder });
const doctor = async (env = {}) => {
  const { code, stdout } = await runCommand(['doctor', '--json'], { cwd: folder, env });
  const report = JSON.parse(stdout) as { ok: boolean; findings: { check: string; status: string; fix?: string }[] };
  return { code, ...report, status: Object.fromEntries(report.findings.map(({ check, status }) => [check, status])) };
};

describe('a service on its embedded database', () => {
  it('starts in an empty folder and, from its backup, again; survives kill -9, and keeps its data', async () => {
    const first = await start();
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(first.output()).toContain('with new secrets');
    const before = await kids(first);
    const served = { database: 'ok', migrations: 'ok', 'signing keys': 'ok', sweeper: 'ok', 'mail queue': 'ok' };
    expect((await doctor()).status).toMatchObject(served);
    await expectOneServer(first);
    const { email, password, browser } = await registerUser(first.url);
    expect((await first.stop()).code).toBe(0);
    await expectStoppedFindings();
    restoreFromBackup();
    const again = await start();
    expect(again.output()).not.toContain('with new secrets');
    expect(await kids(again)).toEqual(before);
    expect((await createBrowser(again.url).post('/auth/login', { email, password })).status).toBe(200);
    expect((await refreshWith(again.url, browser.jar.get('service_rt')!)).status).toBe(200);
    await again.kill();
    const adopted = await start();
    expect(await kids(adopted)).toEqual(before);
  });

  /** A second serve in the folder fails and names the pid of the first; other commands work. */
  async function expectOneServer(server: Server): Promise<void> {
    const second = await runCommand(['serve'], { cwd: folder, env: { PORT: '0' } });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(String(server.child.pid));
    expect(second.stderr.trim().split('\n').length).toBeLessThan(4);
    const migrated = await command('migrate', '--check');
    expect(migrated.code).toBe(0);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  }

  /** Makes a copy of DATA_DIR and .env with the commands of docs/backups.md, and restores it in another folder. */
  function restoreFromBackup(): void {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/backups.md'), 'utf8');
    // The commands of the page between stopping and starting the service.
    const [, install, , copying] =
      /^systemctl stop gatehouse\n(install .*)\n(data=.*)\n((?:.*\n)*?)systemctl start gatehouse/m.exec(page)!;
    const copy = mkdtempSync(join(tmpdir(), 'gh-copy-'));
    const script = `${install}\ndata=${folder}/data env=${folder}/.env\n${copying}`;
    const pid = join(folder, 'data/postgres/postmaster.pid');
    expect(existsSync(pid)).toBe(false);
    const run = () => execFileSync('sh', ['-c', script], { cwd: copy, stdio: 'pipe' });
    mkdirSync(pid);
    expect(run).toThrow();
    rmSync(pid, { recursive: true });
    run();
    expect(statSync(join(copy, 'gatehouse.tgz')).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
    execFileSync('tar', ['-xzpf', join(copy, 'gatehouse.tgz'), '-C', copy]);
    folder = `${folder}-restored`;
    renameSync(join(copy, folder.replace(/-restored$/, '')), folder);
    rmSync(copy, { recursive: true });
  }

  /** While the service is stopped, doctor exits with 0 and warns about what is missing. */
  async function expectStoppedFindings(): Promise<void> {
    const report = await doctor();
    expect(report.code, JSON.stringify(report.findings)).toBe(0);
    expect(report.status).toEqual({
      // These depend on the machine.
      node: expect.stringMatching(/^(ok|warning)$/),
      disk: expect.stringMatching(/^(ok|warning)$/),
      environment: 'ok',
      cookies: 'ok',
      secrets: 'ok',
      files: 'ok',
      database: 'ok',
      migrations: 'ok',
      clock: 'ok',
      connections: 'ok',
      transactions: 'ok',
      backups: 'skipped',
      'signing keys': 'ok',
      'key age': 'ok',
      'second factors': 'ok',
      'configuration key': 'ok',
      address: 'warning',
      sweeper: 'skipped',
      'audit counts': 'ok',
      mail: 'ok',
      'mail queue': 'ok',
      passkeys: 'ok',
      'platform owner': 'warning',
      'email addresses': 'ok',
      providers: 'ok',
    });
    const env = readFileSync(join(folder, '.env'), 'utf8');
    writeFileSync(join(folder, '.env'), env.replace(/JWT_SECRET=.*/, `JWT_SECRET=${'another secret '.repeat(3)}`));
    const { code, stdout } = await command('doctor', '--offline');
    writeFileSync(join(folder, '.env'), env);
    expect(code).toBe(1);
    for (const line of ['✓ database', '✗ signing keys', '→ ']) expect(stdout).toContain(line);
    expect(stdout).toMatch(/address +not checked: --offline/);
  }

  it('SIGTERM during the first start stops the service and leaves no database running', async () => {
    const starting = launchServer({ cwd: folder, env: { PORT: '0' } });
    const pidFile = join(folder, 'data/postgres/postmaster.pid');
    await expect.poll(() => starting.output().includes('creating the database')).toBe(true);
    starting.child.kill('SIGTERM');
    expect((await starting.finished).code).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
  });
});

describe('a service on an external database', () => {
  it('warns if the port in PUBLIC_BASE_URL differs from its own', async () => {
    const server = await start({ ...external(), PUBLIC_BASE_URL: 'http://localhost:1' });
    await expect.poll(() => server.output()).toContain('PUBLIC_BASE_URL has port 1');
    await expectHashCost(server);
  });

  const database = useTestDatabase();
  const external = () => ({ DATABASE_URL: database.url, JWT_SECRET: SECRET });

  /** docs/reference/accounts.md#passwords: the built command and the running server hash with m=19456, t=2, p=1. */
  async function expectHashCost({ url }: Server): Promise<void> {
    const args = ['admin', 'create-org', '--name', 'Example', '--owner-email', newEmail()];
    const env = { ...external(), PUBLIC_BASE_URL: url };
    expect((await runCommand(args, { cwd: folder, env, input: `${PASSWORD}\n` })).code).toBe(0);
    await registerUser(url);
    const users = await database.db.selectFrom('users').select('password_hash').execute();
    expect(users).toHaveLength(2);
    for (const { password_hash } of users) expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  }
});

describe('doctor, §1', () => {
  it('doctor exits with 1 without settings and database, creates neither, and names a fix for each failure', async () => {
    const report = await doctor({ OAUTH_B_CLIENT_ID: 'id', OAUTH_B_CLIENT_SECRET: 'a secret of GitHub' });
    expect(report.code).toBe(1);
    expect(report.ok).toBe(false);
    expect(report.status).toMatchObject({ environment: 'failed', database: 'failed', migrations: 'skipped' });
    expect(report.status).toMatchObject({ address: 'skipped', 'callback URLs': 'skipped' });
    for (const finding of report.findings.filter(({ status }) => status === 'failed')) expect(finding.fix).toBeTruthy();
    expect(existsSync(join(folder, 'data'))).toBe(false);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });

  it('doctor and serve warn about a line of .env that is read differently than intended', async () => {
    writeFileSync(join(folder, '.env'), `JWT_SECRET=ab#${'s'.repeat(40)}\nPUBLIC_BASE_URL=http://x.test\n`);
    const examine = async () => (await examineHere({ cwd: folder }))('.env');
    expect(await examine()).toMatchObject({ status: 'warning', detail: expect.stringContaining('JWT_SECRET') });
    const { code, stderr } = await runHere(['serve'], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/! \.env: the value of JWT_SECRET ends before its #[\s\S]+JWT_SECRET must have/);
    rmSync(join(folder, '.env'));
    mkdirSync(join(folder, '.env'));
    const findEnvironment = await examineHere({ cwd: folder });
    expect(findEnvironment('environment')).toMatchObject({ fix: 'Run: rmdir .env' });
  });

  it('an unreachable DATABASE_URL is a failure, and its password is not printed', async () => {
    const env = {
      DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/x',
      JWT_SECRET: 's'.repeat(40),
      PUBLIC_BASE_URL: 'http://x.test',
    };
    const SMTP_URL = 'smtp://u:hunter2@127.0.0.1:1';
    const { code, stdout, stderr } = await runCommand(['doctor'], { cwd: folder, env: { ...env, SMTP_URL } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ database .*127\.0\.0\.1:1\/x/);
    expect(stdout).toMatch(/! mail server .*127\.0\.0\.1:1 cannot be queried: the connection is refused/);
    expect(stdout).toMatch(/\d+ checks: 1 failed, /);
    expect(stdout + stderr).not.toContain('hunter2');
    const served = await runHere(['serve'], { cwd: folder, env: { ...env, PORT: '0' } });
    expect(served.code).toBe(1);
    expect(served.stderr).toContain('127.0.0.1:1/x');
    expect(served.stderr + served.stdout).not.toContain('hunter2');
    const place = { cwd: folder, env: { DATABASE_URL: env.DATABASE_URL, PORT: '0' } };
    const first = await runHere(['serve'], place);
    expect(first.stderr).toMatch(/^✗ The database at 127\.0\.0\.1:1\/x cannot be used: .*\n$/);
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });
});

describe('the command line', () => {
  it('an unknown command exits with 2', async () => {
    const { code, stdout, stderr } = await command('nonsense');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("unknown command 'nonsense'");
  });

  it('serve in production exits with 1 and names each missing setting', async () => {
    const { code, stderr } = await runHere(['serve'], { cwd: folder, env: { NODE_ENV: 'production' } });
    expect(code).toBe(1);
    expect(stderr).toContain('JWT_SECRET is missing');
    expect(stderr).toContain('PUBLIC_BASE_URL is missing');
    expect(existsSync(join(folder, '.env'))).toBe(false);
  });
});

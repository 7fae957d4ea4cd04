import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { SECRET } from './postgres.ts';
import { type Server, startServer } from './process.ts';

const root = join(import.meta.dirname, '../../..');
const walk = readFileSync(join(root, 'README.md'), 'utf8').split('## Five minutes')[1]!.split('\n## ')[0]!;
const script = [...walk.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!).join('\n');

/** As the first start makes one. */
const CONFIG_ENCRYPTION_KEY = randomBytes(32).toString('base64');

let folder: string;
let database: TestDatabase;
let server: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-readme-'));
  database = await createTestDatabase();
  server = await startServer({
    cwd: folder,
    env: { DATABASE_URL: database.url, CONFIG_ENCRYPTION_KEY },
  });
});
afterAll(async () => {
  await server.kill();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The README says `curl`; the service itself needs no more than Node. */
const hasTools = ['curl', 'bash', 'awk', 'sed'].every((tool) => spawnSync(tool, ['--version']).error === undefined);

/** The words of an example, with `…` for whatever stands there. */
const pattern = (example: string): RegExp =>
  new RegExp(
    `^\\s*${example
      .split(/\s*…\s*/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s*'))
      .join('[\\s\\S]*?')}\\s*$`,
  );

describe('README', () => {
  it('shows pictures that are there', () => {
    const shown = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/(?:src|srcset)="([^"]+)"/g)].map(
      (match) => match[1]!,
    );
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('README: five minutes', () => {
  it.skipIf(!hasTools)('works as pasted, and answers what it says', async () => {
    const here = script
      .replaceAll('http://localhost:8080', server.url)
      .replaceAll('scripts/', `${root}/scripts/`)
      .replaceAll('npx gatehouse', `'${process.execPath}' '${join(root, 'packages/server/dist/main.mjs')}'`);
    const env = {
      PATH: process.env.PATH,
      NO_COLOR: '1',
      JWT_SECRET: SECRET,
      PUBLIC_BASE_URL: server.url,
      CONFIG_ENCRYPTION_KEY,
      DATABASE_URL: database.url,
    };
    // Each example stands below its command; a mark in the output tells which is which.
    const lines = here.split('\n').map((line) => (line.startsWith('# ') ? "echo; echo '<end>'" : line));
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines.join('\n')], {
      cwd: folder,
      env: env as NodeJS.ProcessEnv,
    });
    const answers = stdout.split('<end>');
    const { port } = new URL(server.url);
    const examples = script
      .replaceAll('localhost:8080', `localhost:${port}`)
      .split('\n')
      .filter((line) => line.startsWith('# '));
    expect(examples.length).toBeGreaterThan(7);
    for (const [index, example] of examples.entries()) expect(answers[index]).toMatch(pattern(example.slice(2)));
    const owners = await database.db.selectFrom('users').select('email').where('platform_role', '=', 'owner').execute();
    expect(owners).toEqual([{ email: 'ada@example.com' }]);
  });
});

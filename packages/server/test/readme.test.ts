import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET } from './postgres.ts';
import { type Server, startServer } from './process.ts';

const root = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
const shellOf = (text: string) =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)```/gm)].map((match) => match[1]!.replace(/^ {3}/gm, '')).join('\n');

/** The README before and from the lines of curl on, which run while the service runs. */
const [beginning, tour] = readme.split(/(?=## Ten lines of curl)/) as [string, string];

/** Commands of the README before the lines of curl, and the file that runs each. */
const RUN_ELSEWHERE: Record<string, string> = {
  'npm start': 'packages/server/test/readme.test.ts',
  'PORT=9000 npm start': 'packages/server/test/readme.test.ts',
  'npm test': '.ci/run',
};

describe('README', () => {
  it('has at most 110 lines, 900 words and ten lines of curl', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
    expect(shellOf(tour).trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });

  it('every image exists', () => {
    const shown = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map((match) => match[1]!);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('every command is run by a test', () => {
    const spans = [...readme.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => match[1]!);
    const lines = shellOf(beginning).split('\n');
    const named = [...spans, ...lines].map((text) => text.split(' #')[0]!.trim());
    const commands = named.filter((text) => /^([A-Z_]+=\S+ )*(npm|npx|node|curl|docker|git) /.test(text));
    expect(new Set(commands)).toEqual(new Set(Object.keys(RUN_ELSEWHERE)));
    expect(Object.values(RUN_ELSEWHERE).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

/** The tours need these tools; the service needs only Node. */
const hasTools = ['curl', 'bash', 'awk', 'sed'].every((tool) => spawnSync(tool, ['--version']).error === undefined);

describe.skipIf(!hasTools)('commands pasted from the documents, with npm start', () => {
  let folder: string;
  let server: Server;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gh-readme-'));
    // Set explicitly, so that a `.env` of the checkout is not used.
    env = {
      JWT_SECRET: SECRET,
      CONFIG_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: '',
    };
    server = await startServer({ cwd: root, env, program: ['npm', 'start'] });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a script and compares the output of each command with the example below it. */
  async function paste(script: string, atLeast = 8): Promise<void> {
    const { port } = new URL(server.url);
    const here = script.replaceAll('localhost:8080', `localhost:${port}`).split('\n');
    // A marker in the output separates the commands.
    const lines = here.map((line) => (line.startsWith('# ') ? "echo; echo '<end>'" : line));
    // Runs programs from node_modules/.bin directly, because npx takes longer to start than most of them.
    const inCheckout = [
      `npx() { (cd '${root}' && PATH="node_modules/.bin:$PATH" && command "$@"); }`,
      `node() { (cd '${root}' && command node "$@"); }`,
    ];
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-euo', 'pipefail', '-c', [...inCheckout, ...lines].join('\n')],
      {
        cwd: folder,
        env: {
          ...env,
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          NO_COLOR: '1',
          PORT: port,
          PUBLIC_BASE_URL: `http://localhost:${port}`,
        },
      },
    );
    const answers = stdout.split('<end>');
    const examples = here.filter((line) => line.startsWith('# '));
    expect(examples.length).toBeGreaterThanOrEqual(atLeast);
    for (const [index, example] of examples.entries()) expect(answers[index]).toMatch(pattern(example.slice(2)));
  }

  it('npm start logs version and address when it is ready', async () => {
    await expect.poll(() => server.output()).toMatch(/"version":"[^"]+","url":"http:.*"msg":"ready"/);
  });

  it('the lines of curl in README.md work as written', async () => {
    await paste(shellOf(tour), 3);
  });

  it('the command of docs/browser-tour.md works as written', async () => {
    // The request of step 1 in the browser.
    const ada = { email: 'ada@example.com', password: 'a password of her own', organization_name: 'Ada' };
    const registered = await fetch(`${server.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ada),
    });
    expect(registered.status).toBe(201);
    await paste(shellOf(read('docs/browser-tour.md')), 1);
  });

  it('the commands of docs/api-tour.md work after those of README.md', async () => {
    await paste(shellOf(read('docs/api-tour.md')));
  });

  it('the commands of docs/machines.md work as written', async () => {
    await paste(shellOf(read('docs/machines.md')));
  });
});

/** Matches an example, in which `…` stands for any text. */
const pattern = (example: string): RegExp =>
  new RegExp(
    `^\\s*${example
      .split(/\s*…\s*/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s*'))
      .join('[\\s\\S]*?')}\\s*$`,
  );

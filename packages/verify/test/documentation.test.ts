import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Block, blocksIn, blocksOf, pasteAll, putAll, undocumented } from '../../client/test/documentation.ts';
import { createTestClock } from '../../server/test/clock.ts';
import { insertSession, startTestApp, type TestApp } from '../../server/test/harness.ts';
import { freePort } from '../../server/test/ports.ts';

const folder = join(import.meta.dirname, '..');
const ENTRIES = ['index', 'fastify', 'express', 'hono', 'webhooks'];
const guides = ['docs/webhooks.md', 'docs/machines.md'];
const blocks = [
  ...blocksOf(folder),
  ...guides.flatMap((guide) => blocksIn(guide, readFileSync(join(folder, '../..', guide), 'utf8'))),
];
const pasted = putAll(blocks);

let app: TestApp;
let issuer: string;
let token: string;
let key: string;
beforeAll(async () => {
  const port = await freePort();
  issuer = `http://127.0.0.1:${port}`;
  // A verifier compares `generated_at` of the feed with the `Date` of the response.
  const clock = { ...createTestClock(), now: () => new Date() };
  app = await startTestApp({ environment: { PUBLIC_BASE_URL: issuer }, clock });
  await app.server.listen({ host: '127.0.0.1', port });
  const mfa_verified_at = app.clock.now();
  const session = await insertSession(app, { aal: 'aal2', role: 'owner', mfa_verified_at, email_verified: true });
  token = session.access_token;
  const accounts = `${issuer}/v1/orgs/${session.organization_id}/service-accounts`;
  const { id } = await create(accounts, { name: 'Documentation' });
  key = (await create(`${accounts}/${id}/keys`, { name: 'Documentation' })).key!;
});
afterAll(async () => {
  pasted.remove();
  await app.close();
});

async function create(url: string, body: object): Promise<{ id: string; key?: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{ id: string }>;
}

const listens = ({ code }: Block): boolean => code.includes('3000');
const indexed = blocks.map((block, index) => ({ ...block, index }));

it('publint reports no problem in the package', async () => {
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
  expect(messages).toEqual([]);
});

it.each(ENTRIES)('every export has an example: %s', async (entry) => {
  const names = Object.keys(await import(`../src/${entry}.ts`));
  expect(names.length).toBeGreaterThan(1);
  expect(undocumented(folder, names)).toEqual([]);
});

it('every code block of both SDKs compiles', () => {
  const ofClient = blocksOf(join(folder, '../client'));
  expect(blocks.length).toBeGreaterThan(12);
  expect(ofClient.length).toBeGreaterThan(12);
  // The blocks use global variables `token` and `key`.
  const all = pasteAll([...blocks, ...ofClient], 'var token: string; var key: string');
  expect(all.faults).toEqual([]);
  all.remove();
});

it('every code block without a server runs to its end and prints what its comments say', async () => {
  const ending = indexed.filter((block) => !listens(block));
  for (const { index } of ending) pasted.write(index, (code) => code.replaceAll('https://id.example.com', issuer));
  // All blocks run in one process. It must exit by itself, although no block closes its verifier.
  const runner = pasted.put('run.mjs', RUN);
  const names = ending.map(({ index }) => String(index));
  const { stdout } = await promisify(execFile)(process.execPath, [runner, token, key, ...names]);
  const printed = JSON.parse(stdout) as Record<string, string[]>;
  for (const { index, from, code } of ending) {
    expect(printed[index], from).toEqual(promisedBy(code).map((line) => line ?? expect.any(String)));
  }
});

it('every code block with a server serves requests', async () => {
  const serving = await Promise.all(
    indexed.filter(listens).map(async ({ index, from }) => {
      const port = await freePort();
      pasted.write(index, (code) => code.replaceAll('https://id.example.com', issuer).replaceAll('3000', String(port)));
      return { index, from, port };
    }),
  );
  expect(serving.length).toBeGreaterThan(2);
  // All servers run in one process.
  const runner = pasted.put('serve.mjs', serving.map(({ index }) => `import './${index}.mjs';\n`).join(''));
  const child = spawn(process.execPath, [runner], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    for (const { from, port } of serving) {
      const ask = (headers = {}) => fetch(`http://127.0.0.1:${port}/me`, { headers });
      let answer: Response | undefined;
      while (!answer && child.exitCode === null) {
        answer = await ask().catch(() => undefined);
        if (!answer) await sleep(50);
      }
      expect(answer?.status, from).toBe(401);
      const accepted = await ask({ authorization: `Bearer ${token}` });
      expect(await accepted.json(), from).toEqual({ user_id: expect.any(String) });
    }
  } finally {
    child.kill();
  }
});

/** Returns the output of each `console.log` according to the comment beside it; undefined without a comment. */
const promisedBy = (code: string): (string | undefined)[] =>
  code
    .split('\n')
    .filter((line) => line.includes('console.log('))
    .map((line) => /; \/\/ (.*)$/.exec(line)?.[1]);

const RUN = `
const [, , token, key, ...names] = process.argv;
Object.assign(globalThis, { token, key });
const printed = {};
let lines;
console.log = (...values) => void lines.push(values.join(' '));
console.warn = () => {};
for (const name of names) {
  lines = printed[name] = [];
  await import('./' + name + '.mjs');
}
process.stdout.write(JSON.stringify(printed));
`;

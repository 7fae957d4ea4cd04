import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PASSWORD, registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import * as client from '../src/index.ts';
import { blocksOf, putAll, undocumented } from './documentation.ts';

const folder = join(import.meta.dirname, '..');
const blocks = blocksOf(folder);
const pasted = putAll(blocks);

const app = useTestApp();
let url: string;
beforeAll(async () => {
  url = await app.server.listen({ host: '127.0.0.1', port: 0 });
  await registerUser(app, { email: 'ada@example.com', password: PASSWORD });
});
afterAll(async () => {
  vi.restoreAllMocks();
  pasted.remove();
});

it('every export has an example', () => {
  const names = Object.keys(client);
  expect(names).toContain('createClient');
  expect(undocumented(folder, names)).toEqual([]);
  expect(undocumented(folder, ['callsBy'])).toEqual(['callsBy']);
});

it('the README lists every call with its parameters', () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const listed = /<!-- calls -->\n([\s\S]*)<!-- end of calls -->/.exec(readme)?.[1];
  const { pages: _, ...groups } = client.createClient({ base: 'http://localhost:8080/v1' });
  const rows = Object.entries(groups).filter(([, calls]) => typeof calls === 'object');
  expect(listed).toBe(
    [
      '| group | calls |\n|---|---|\n',
      ...rows.map(([group, calls]) => `| \`${group}\` | ${Object.entries(calls).map(signatureOf).join(', ')} |\n`),
    ].join(''),
  );
});

/** Returns the name of a call with its parameters, as its source names them. */
function signatureOf([name, call]: [string, unknown]): string {
  const [, list, single] = /^(?:async\s*)?(?:\(([^)]*)\)|(\w+))\s*=>/.exec(String(call)) ?? [];
  const parameters = (single ?? list ?? '?').replaceAll(/\s/g, '').replaceAll('={}', '').replaceAll(',', ', ');
  return `\`${name}(${parameters.replaceAll(/\{(.*?)\}/g, '{ $1 }')})\``;
}

// The test of the other SDK compiles these blocks together with its own.
it.each(blocks.map(({ from }, index) => [from, index] as const))('code block runs: %s', async (_from, index) => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  const path = pasted.write(index, (code) =>
    code.replaceAll('http://localhost:8080', url).replaceAll('.session.json', join(pasted.folder, 'session.json')),
  );
  await import(/* @vite-ignore */ pathToFileURL(path).href);
});

it('publint reports no problem in the package', async () => {
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
  expect(messages).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readSources, type Source } from './sources.ts';

const sources = readSources();

/** The public modules of the packages, whose exports are for other programs. */
const isPublic = (path: string): boolean =>
  /^packages\/(client|verify)\/src\/(index|fastify|express|hono|webhooks)\.ts$/.test(path) ||
  /^packages\/(embedded-postgres|migrate)\/src\/index\.ts$/.test(path) ||
  path.startsWith('packages/contract/src/') ||
  path === 'packages/server/src/platform/db/schema.ts' ||
  /^packages\/client\/(src\/wire|test\/wire-compared)\.ts$/.test(path);

/** Exports that a tool uses through its configuration. */
const USED_BY_TOOLS = [
  /\.config\.ts#default$/,
  /^trust\/(rounds-runner|ledger-reporter|mutation\/verdict-reporter)\.ts#default$/,
  /^interop\/[\w-]+\.interop\.ts#proof$/,
  /^packages\/server\/test\/postgres\.ts#setup$/,
  /^packages\/web\/test\/chromium\.ts#setup$/,
];

const importers = new Map<string | undefined, { by: string; names: readonly string[]; passedOn: boolean }[]>();
for (const { path, imports } of sources) {
  for (const { target, names, passedOn } of imports) {
    importers.set(target, [...(importers.get(target) ?? []), { by: path, names, passedOn }]);
  }
}

/** Returns the names that other files import from a file; `*` stands for all. */
const importedFrom = (path: string): ReadonlySet<string> =>
  new Set(importers.get(path)?.flatMap(({ by, names, passedOn }) => (passedOn ? [...importedFrom(by)] : names)));

const unusedOf = ({ path, exports }: Source): string[] => {
  const imported = importedFrom(path);
  if (imported.has('*')) return [];
  return exports.filter((name) => !imported.has(name)).map((name) => `${path}#${name}`);
};

describe('every export', () => {
  it('is imported by another file', () => {
    expect(sources.flatMap(({ exports }) => exports).length).toBeGreaterThan(1000);
    const unused = sources.filter(({ path }) => !isPublic(path)).flatMap(unusedOf);
    expect([...new Set(unused)].filter((name) => !USED_BY_TOOLS.some((known) => known.test(name)))).toEqual([]);
  });
});

describe('every dependency', () => {
  it.each([
    '.',
    'packages/contract',
    'packages/embedded-postgres',
    'packages/server',
    'packages/web',
    'packages/verify',
    'examples',
  ])('is used by the package that declares it: %s', (folder) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const code = sources.filter(({ path }) => folder === '.' || path.startsWith(`${folder}/`)).map((file) => file.code);
    const names = Object.keys({ ...dependencies, ...devDependencies }).map((name) => name.replace(/^@types\//, ''));
    expect(names).not.toEqual([]);
    const isNamed = (name: string) =>
      code.some((text) => [`'${name}'`, `'${name}/`, `\`${name}/`].some((part) => text.includes(part)));
    // The types of Node are for `node:…`, which is not a dependency.
    expect(names.filter((name) => name !== 'node' && !isNamed(name))).toEqual([]);
  });
});

describe('the texts of the pages', () => {
  const pages = sources.filter(({ path }) => path.startsWith('packages/web/src/'));
  const texts = pages.map(({ path }) => path).filter((path) => /text\/en\.ts$/.test(path));

  it.each(texts)('are all used: %s', async (path) => {
    const part = path === 'packages/web/src/ui/text/en.ts' ? 'packages/web/src' : dirname(dirname(path));
    // Parts that areas share are also shown by files of other folders.
    const users = new Set(importers.get(`${part}/text.ts`)?.map(({ by }) => by));
    const code = pages
      .filter((page) => page.path.startsWith(`${part}/`) || users.has(page.path))
      .filter((page) => !/text\/[\w-]+\.ts$/.test(page.path))
      .map((page) => page.code)
      .join('\n');
    const isShown = (name: string) => new RegExp(`\\.${name}\\b|[{,] ${name}\\b[^:]`).test(code);
    /** All texts of a group that is accessed by key count as used. */
    const isLookedUp = (group: string) => new RegExp(`\\b${group}\\[`).test(code);
    const unshown = (words: object): string[] =>
      Object.entries(words).flatMap(([name, value]) => {
        if (typeof value !== 'object') return isShown(name) ? [] : [name];
        return isLookedUp(name) ? [] : unshown(value);
      });
    const { text } = await import(/* @vite-ignore */ join(ROOT, path));
    expect(unshown(text)).toEqual([]);
  });
});

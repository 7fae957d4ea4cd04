import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readSources, type Source } from './sources.ts';

const sources = readSources();

/** The faces of the published packages, and the wire: their names are there for others. */
const isForOthers = (path: string): boolean =>
  /^packages\/(client|verify)\/src\/(index|fastify|express|hono)\.ts$/.test(path) ||
  path.startsWith('packages/contract/src/') ||
  /^packages\/client\/(src\/wire|test\/wire-compared)\.ts$/.test(path);

/** Named in a configuration: the tool asks for these. */
const PICKED_UP = [
  /\.config\.ts#default$/,
  /^trust\/(rounds-runner|ledger-reporter|mutation\/verdict-reporter)\.ts#default$/,
  /^packages\/server\/test\/postgres\.ts#setup$/,
  /^packages\/web\/test\/chromium\.ts#setup$/,
];

const importers = new Map<string | undefined, { by: string; names: readonly string[]; passedOn: boolean }[]>();
for (const { path, imports } of sources) {
  for (const { target, names, passedOn } of imports) {
    importers.set(target, [...(importers.get(target) ?? []), { by: path, names, passedOn }]);
  }
}

/** What others take of a file; `*` is all of it. */
const takenOf = (path: string): ReadonlySet<string> =>
  new Set(importers.get(path)?.flatMap(({ by, names, passedOn }) => (passedOn ? [...takenOf(by)] : names)));

const unusedOf = ({ path, exports }: Source): string[] => {
  const taken = takenOf(path);
  if (taken.has('*')) return [];
  return exports.filter((name) => !taken.has(name)).map((name) => `${path}#${name}`);
};

describe('what is exported', () => {
  it('is imported by somebody', () => {
    expect(sources.flatMap(({ exports }) => exports).length).toBeGreaterThan(1000);
    const unused = sources.filter(({ path }) => !isForOthers(path)).flatMap(unusedOf);
    expect([...new Set(unused)].filter((name) => !PICKED_UP.some((known) => known.test(name)))).toEqual([]);
  });
});

describe('what is installed', () => {
  it.each(['.', 'packages/contract', 'packages/server', 'packages/web', 'packages/verify', 'examples'])(
    'is used by the package that asks for it: %s',
    (folder) => {
      const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      const code = sources
        .filter(({ path }) => folder === '.' || path.startsWith(`${folder}/`))
        .map((file) => file.code);
      const names = Object.keys({ ...dependencies, ...devDependencies }).map((name) => name.replace(/^@types\//, ''));
      expect(names).not.toEqual([]);
      const isNamed = (name: string) =>
        code.some((text) => [`'${name}'`, `'${name}/`, `\`${name}/`].some((part) => text.includes(part)));
      // The types of Node itself are for `node:…`.
      expect(names.filter((name) => name !== 'node' && !isNamed(name))).toEqual([]);
    },
  );
});

describe('the words of the pages', () => {
  const pages = sources.filter(({ path }) => path.startsWith('packages/web/src/'));
  const texts = pages.map(({ path }) => path).filter((path) => /text\/en\.ts$/.test(path));

  it.each(texts)('are all shown: %s', async (path) => {
    const part = path === 'packages/web/src/ui/text/en.ts' ? 'packages/web/src' : dirname(dirname(path));
    const code = pages
      .filter((page) => page.path.startsWith(`${part}/`) && !/text\/[\w-]+\.ts$/.test(page.path))
      .map((page) => page.code)
      .join('\n');
    const isShown = (name: string) => new RegExp(`\\.${name}\\b|[{,] ${name}\\b[^:]`).test(code);
    /** Of a group that is looked up by a key, all are shown. */
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

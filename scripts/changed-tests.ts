// Prints the test files that a change can affect, one per line: `npm test -- --changed` runs them.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, readSources, type Source } from '../packages/server/test/sources.ts';

/**
 * This file imports the whole service, and almost every test imports it through the harness. Therefore imports are not
 * followed through it; a test next to the sources depends on the sources of its folder instead.
 */
const COMPOSITION_ROOT = 'packages/server/src/app.ts';

/** Tests that a changed source affects without an import: they start the built service or open its pages. */
const BY_PLACE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^packages\/(contract\/src|server\/src\/(features|http|domain))\//, ['access-table', 'catalog', 'openapi-document']],
  [/^packages\/server\/src\/platform\/db\/migrations\//, ['upgrade/each-step', 'upgrade/release', 'month', 'plans']],
  [/^packages\/server\/src\/cli\//, ['migrate-command', 'admin-command']],
];
const BY_PAGE: readonly (readonly [RegExp, string])[] = [
  [/^packages\/web\/src\/hosted\//, 'hosted-sign-in'],
  [/^packages\/web\/src\/account\//, 'account-profile'],
  [/^packages\/web\/src\/organization\//, 'team-members'],
  [/^packages\/web\/src\/console\//, 'console-overview'],
  [/^packages\/(web\/src|client\/src)\//, 'hosted-pages'],
];

/** Tests that read the whole source tree: its layers, exports, links and the map of the specification. */
const WHOLE_TREE_TESTS = ['layers', 'unused', 'links', 'map'];

/** With this many test files, a run takes less than a minute on two cores. Only `npm test` runs the others. */
const MAX = 25;

const isTestFile = (path: string): boolean => /\.test\.ts$/.test(path) && !/\.full\.test\.ts$/.test(path);
const isServerTest = (path: string): boolean => path.startsWith('packages/server/test/');

interface Chosen {
  /** The tests that this change always runs, and the closest others, at most `MAX`. */
  readonly tests: readonly string[];
  /** The number of affected tests that are not in `tests`. */
  readonly left_out: number;
}

export function testsFor(changed: readonly string[], sources: readonly Source[] = readSources()): Chosen {
  const tests = new Set(sources.map(({ path }) => path).filter(isTestFile));
  const always = new Set<string>();
  const add = (path: string) => tests.has(path) && always.add(path);
  const addServer = (name: string) => add(`packages/server/test/${name}.test.ts`);
  if (changed.length > 0) WHOLE_TREE_TESTS.map(addServer);
  for (const path of changed) {
    for (const [place, names] of BY_PLACE) if (place.test(path)) names.map(addServer);
    for (const [place, name] of BY_PAGE) if (place.test(path)) add(`packages/web/test/${name}.test.ts`);
    addServer(`race/${/^packages\/server\/src\/\w+\/([\w-]+)\//.exec(path)?.[1]}`);
  }
  const near = distances([...changed, ...filesNaming(changed, sources)], sources);
  const folders = new Map<string, number>();
  for (const [path, steps] of near) {
    if (!isTestFile(path)) folders.set(dirname(path), Math.min(steps, folders.get(dirname(path)) ?? steps));
  }
  const distanceOf = (path: string): number =>
    Math.min(near.get(path) ?? Infinity, isServerTest(path) ? Infinity : (folders.get(dirname(path)) ?? Infinity) + 1);
  const reached = [...tests]
    .filter((path) => !always.has(path) && distanceOf(path) < Infinity)
    .sort((one, other) => distanceOf(one) - distanceOf(other) || one.localeCompare(other));
  return { tests: [...always, ...reached.slice(0, MAX)].sort(), left_out: Math.max(0, reached.length - MAX) };
}

/** Returns the changed files and all files that import them at run time, with the number of imports in between. */
function distances(changed: readonly string[], sources: readonly Source[]): Map<string, number> {
  const importers = new Map<string, string[]>();
  for (const { path, imports } of sources) {
    for (const { target, typeOnly } of imports) {
      if (target && !typeOnly) importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  const found = new Map(changed.map((path) => [path, 0]));
  // Iterating a Map follows the order of insertion and includes entries added during the loop: closest files first.
  for (const [path, steps] of found) {
    if (path === COMPOSITION_ROOT && steps > 0) continue;
    for (const importer of importers.get(path) ?? []) if (!found.has(importer)) found.set(importer, steps + 1);
  }
  return found;
}

/** Tests and helpers that name a changed file: documents, settings and scripts are read, not imported. */
function filesNaming(changed: readonly string[], sources: readonly Source[]): string[] {
  const known = new Set(sources.map(({ path }) => path));
  const read = changed.filter((path) => !known.has(path) || path.startsWith('scripts/'));
  return sources
    .filter(({ path }) => isTestFile(path) || isServerTest(path))
    .filter(({ path, code }) =>
      read.some((file) => code.includes(file) || (file.startsWith('deploy/') && path.includes('/deploy'))),
    )
    .map(({ path }) => path);
}

function changedFiles(base: string | undefined): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const exists = (name: string) => {
    try {
      return git('rev-parse', '--verify', '--quiet', name) !== '';
    } catch {
      return false;
    }
  };
  const branch = base ?? ['origin/main', 'main'].find(exists) ?? 'HEAD';
  const lines = [
    git('diff', '--name-only', '--no-renames', git('merge-base', branch, 'HEAD')),
    git('ls-files', '--others', '--exclude-standard'),
  ];
  return lines.flatMap((text) => text.split('\n')).filter((path) => path !== '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { tests, left_out } = testsFor(changedFiles(process.argv[2]));
  if (left_out > 0) console.error(`${left_out} affected test files are omitted. npm test runs all of them.`);
  for (const path of tests) console.log(path);
}

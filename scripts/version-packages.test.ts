import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyCheckout } from '../packages/server/test/checkout-copy.ts';

const root = join(import.meta.dirname, '..');
const readIn = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');

/** Returns every place that contains the version, with the version found there. */
function versionsIn(folder: string): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  const lock = JSON.parse(readIn(folder, 'package-lock.json'));
  const paths = Object.keys(lock.packages).filter((path) => path !== '' && !path.includes('node_modules'));
  for (const path of paths) {
    const manifest = JSON.parse(readIn(folder, `${path}/package.json`));
    for (const [where, { version, dependencies = {} }] of [
      [`${path}/package.json`, manifest],
      [`package-lock.json, ${path}`, lock.packages[path]],
    ]) {
      found.set(where, version);
      for (const [name, needed] of Object.entries<string>(dependencies)) {
        if (name.startsWith('@gatehouse/')) found.set(`${where}, ${name}`, needed);
      }
    }
  }
  const firstIn = (path: string, pattern: RegExp) => found.set(path, pattern.exec(readIn(folder, path))?.[1]);
  firstIn('sdks/python/pyproject.toml', /^version = "(.*)"$/m);
  firstIn('sdks/python/gatehouse_verify/__init__.py', /^__version__ = "(.*)"$/m);
  firstIn('CHANGELOG.md', /^## ([\d.]+)/m);
  return found;
}

/** Runs `changeset` or the script in a copy of the checkout. */
function runIn(folder: string, script: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

it('all packages, the lock, the Python verifier and the changelog have the same version', () => {
  const versions = versionsIn(root);
  expect(versions.size).toBeGreaterThan(20);
  expect(new Set(versions.values()).size, JSON.stringify([...versions], null, 1)).toBe(1);
});

it('npm run version:packages sets the next version everywhere and moves the changesets to CHANGELOG.md', () => {
  const copy = copyCheckout();
  onTestFinished(() => copy.remove());
  const [before] = versionsIn(copy.folder).values();
  const [major, minor] = before!.split('.').map(Number);
  const earlier = readIn(copy.folder, 'CHANGELOG.md').split(/(?=^## )/m);
  const changeset = (name: string, kind: string, text: string) =>
    copy.put(`.changeset/${name}.md`, `---\n"@gatehouse/${name}": ${kind}\n---\n\n${text}\n`);
  changeset('client', 'patch', 'The client has an example.');
  changeset('server', 'minor', 'Action required: rename `A`\nto `B`.');

  const { status, output } = runIn(copy.folder, 'scripts/version-packages.mjs');
  expect(status, output).toBe(0);

  const next = `${major}.${minor! + 1}.0`;
  expect(new Set(versionsIn(copy.folder).values())).toEqual(new Set([next]));
  const [intro, ...rest] = earlier;
  const section = `## ${next}\n\n- Action required: rename \`A\`\n  to \`B\`.\n- The client has an example.\n\n`;
  expect(readIn(copy.folder, 'CHANGELOG.md')).toBe([intro, section, ...rest].join(''));

  const again = runIn(copy.folder, 'scripts/version-packages.mjs');
  expect(again).toEqual({ status: 1, output: expect.stringContaining('npm run changeset') });
});

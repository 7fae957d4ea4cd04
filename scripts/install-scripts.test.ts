import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'gh-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Lock {
  readonly packages: Readonly<Record<string, { hasInstallScript?: boolean }>>;
}

it('no dependency that has an install script is allowed to run it', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as Lock;
  const { allowScripts } = JSON.parse(read('package.json'));
  const having = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript);
  const names = having.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
});

it('the setup of a fresh checkout installs dependencies without install scripts', () => {
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'scripts'));
  cpSync(join(root, 'scripts/setup.mjs'), join(folder, 'scripts/setup.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  // Replaces npm: records its arguments and fails, so that nothing is built.
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\necho "$@" > '${folder}/called'\nexit 1\n`);
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const { status } = spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: folder, env });
  expect(status).toBe(1);
  expect(readFileSync(join(folder, 'called'), 'utf8').trim().split(' ')).toEqual(
    expect.arrayContaining(['ci', '--ignore-scripts']),
  );
});

it('every other command that installs dependencies does so without install scripts', () => {
  const documents = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const files = [
    '.ci/run',
    'README.md',
    'CONTRIBUTING.md',
    'deploy/Dockerfile',
    'deploy/pack.mjs',
    'bench/peers.ts',
    ...documents.map((name) => `docs/${name}`),
    ...readdirSync(import.meta.dirname)
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => `scripts/${name}`),
  ];
  const commands = files.flatMap((file) =>
    // Finds `npm ci` in shell commands, and `['ci', …]` or `['install', …]` as the argument list of a child process.
    [...read(file).matchAll(/\bnpm ci\b.*|\['(?:ci|install)',.*/g)].map(([command]) => `${file}: ${command}`),
  );
  expect(commands.length).toBeGreaterThanOrEqual(5);
  expect(commands.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
});

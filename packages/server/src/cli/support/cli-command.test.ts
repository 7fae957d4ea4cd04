import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliCommand, nameOfCommand, quoted, startCommand } from './cli-command.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const DIST = join(ROOT, 'packages/server/dist');

it('suggested commands begin with npx in any folder of a checkout', () => {
  expect(cliCommand('doctor')).toBe('npx gatehouse doctor');
  for (const folder of [ROOT, join(ROOT, 'docs')]) expect(nameOfCommand(DIST, folder)).toBe('npx gatehouse');
});

it('the suggested command to start the service begins with npx in a checkout', () => {
  expect(startCommand()).toBe('`npx gatehouse serve`');
});

it('a path in a suggested command is quoted as one shell word', () => {
  expect(quoted('/srv/gate-house/export.1')).toBe('/srv/gate-house/export.1');
  for (const path of ['/srv/my export', "/srv/it's; here", '/srv/$(id)', '']) {
    expect(execFileSync('sh', ['-c', `printf %s ${quoted(path)}`], { encoding: 'utf8' })).toBe(path);
  }
});

it('suggested commands name node and the path of gatehouse.mjs if the current folder is outside of the checkout', () => {
  for (const folder of [tmpdir(), join(ROOT, '..')]) {
    expect(nameOfCommand(DIST, folder)).toBe(`node ${join(ROOT, 'packages/server/bin/gatehouse.mjs')}`);
  }
});

it('suggested commands use the installed name if there is no checkout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-ours-'));
  try {
    expect(nameOfCommand(join(folder, 'packages/server/dist'), ROOT)).toBe('gatehouse');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliCommand, nameOfCommand, quoted, startCommand } from './cli-command.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const DIST = join(ROOT, 'packages/server/dist');

it('is called by npx in a checkout, from whatever folder of it', () => {
  expect(cliCommand('doctor')).toBe('npx gatehouse doctor');
  for (const folder of [ROOT, join(ROOT, 'docs')]) expect(nameOfCommand(DIST, folder)).toBe('npx gatehouse');
});

it('is started by that name', () => {
  expect(startCommand()).toBe('`npx gatehouse serve`');
});

it('a path is one word to a shell', () => {
  expect(quoted('/srv/gate-house/export.1')).toBe('/srv/gate-house/export.1');
  for (const path of ['/srv/my export', "/srv/it's; here", '/srv/$(id)', '']) {
    expect(execFileSync('sh', ['-c', `printf %s ${quoted(path)}`], { encoding: 'utf8' })).toBe(path);
  }
});

it('is called by its file from elsewhere, where npx would fetch a stranger', () => {
  for (const folder of [tmpdir(), join(ROOT, '..')]) {
    expect(nameOfCommand(DIST, folder)).toBe(`node ${join(ROOT, 'packages/server/bin/gatehouse.mjs')}`);
  }
});

it('is called by its name where there is no checkout around it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-ours-'));
  try {
    expect(nameOfCommand(join(folder, 'packages/server/dist'), ROOT)).toBe('gatehouse');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

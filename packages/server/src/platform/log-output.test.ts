import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLogOutput } from './log-output.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that writes lines and exits immediately, once its standard input has ended. */
function program(lines: number): string {
  const file = join(folder, `lines-${lines}.mjs`);
  const contents = `
    import { openLogOutput } from './log-output.ts';
    const output = openLogOutput();
    process.on('exit', () => output.flush());
    process.stdin.resume().on('end', () => {
      for (let line = 0; line < ${lines}; line += 1) output.write('line ' + line + '\\n');
      process.exit(7);
    });`;
  const stdin = { contents, resolveDir: import.meta.dirname, loader: 'ts' as const };
  buildSync({ stdin, outfile: file, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  return file;
}

describe('log output', () => {
  it('writes every line once and in order, asynchronously and on flush', async () => {
    const file = join(folder, 'log');
    const fd = openSync(file, 'w');
    const output = openLogOutput(fd);
    for (let line = 0; line < 500; line += 1) output.write(`${line} ü\n`);
    await expect.poll(() => readFileSync(file, 'utf8').split('\n').length).toBe(501);
    output.write('last\n');
    output.flush();
    await expect.poll(() => readFileSync(file, 'utf8').endsWith('499 ü\nlast\n')).toBe(true);
    closeSync(fd);
    const expected = Array.from({ length: 500 }, (_, line) => `${line} ü\n`);
    expect(readFileSync(file, 'utf8')).toBe([...expected, 'last\n'].join(''));
  });

  it('writes all lines of a program that exits immediately', () => {
    const { stdout } = run(program(20_000));
    expect(stdout.split('\n')).toHaveLength(20_001);
    expect(stdout.endsWith('line 19999\n')).toBe(true);
  });

  it('delivers every line once, complete and in order to a slow reader', async () => {
    const file = join(folder, 'slow.mjs');
    const contents = `
      import { openLogOutput } from './log-output.ts';
      void process.stdout.isTTY; // as the service asks; it lets writes be refused with EAGAIN
      const output = openLogOutput();
      process.on('exit', () => output.flush());
      let line = 0;
      const more = setInterval(() => {
        for (let next = 0; next < 100; next += 1) output.write(line++ + ' ' + 'x'.repeat(200) + '\\n');
        if (line === 8_000) clearInterval(more);
      }, 1);`;
    const stdin = { contents, resolveDir: import.meta.dirname, loader: 'ts' as const };
    buildSync({ stdin, outfile: file, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      await sleep(5);
    }
    const numbers = text
      .split('\n')
      .slice(0, -1)
      .map((line) => Number(/^(\d+) x{200}$/.exec(line)?.[1]));
    expect(numbers).toEqual(Array.from({ length: 8_000 }, (_, line) => line));
  });

  it('lets the program exit if the reader has gone', async () => {
    const child = spawn(process.execPath, [program(3)], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});

function run(file: string): { stdout: string } {
  try {
    return { stdout: execFileSync(process.execPath, [file], { input: '', encoding: 'utf8' }) };
  } catch (error) {
    return error as { stdout: string };
  }
}

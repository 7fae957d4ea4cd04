// Runs a tool of the project with the terminal handed through; resolves with its exit code.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './setup.mjs';

export const tool = (path) => join(root, 'node_modules', path);

export function run(script, args, { program = process.execPath, env = process.env } = {}) {
  const child = spawn(program, [script, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

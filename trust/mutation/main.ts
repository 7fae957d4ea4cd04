import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isChosen } from './guard.ts';
import { GUARDS } from './guards.ts';

const USAGE = 'Usage: npm run mutate -- [part of the name or file of a guard] | --list';
const root = join(import.meta.dirname, '../..');
const args = process.argv.slice(2);
const words = args.join(' ').toLowerCase();
const chosen = GUARDS.filter((guard) => isChosen(guard, words));

/** The tests are expected to fail: `verdict-reporter.ts` sets the exit code. */
function run(): Promise<number> {
  const config = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'trust/mutation/vitest.config.ts'];
  const env = { ...process.env, TRUST_GUARD: words };
  const child = spawn(process.execPath, config, { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

if (args[0] === '--list' || args[0] === '--help') {
  console.log(`${USAGE}\n`);
  for (const { name, file } of GUARDS) console.log(`  ${name}  (${file})`);
} else if (chosen.length === 0) {
  console.error(`No name or file of a guard contains "${words}".\n${USAGE}`);
  process.exitCode = 2;
} else {
  process.exitCode = await run();
}

// `npm test [-- name …]`: sets up the checkout, then runs all tests. The last line counts them.
// `npm test -- --changed [commit]`: the tests that changes since main, or since that commit, can affect.
// `npm test -- --node 24 [name …]`: the same with another Node.

import { execFileSync } from 'node:child_process';
import { environmentFor, fetchNode, nodeFolder, takeVersion } from './other-node.mjs';
import { run, tool } from './run.mjs';
import { root, setup } from './setup.mjs';

const { version, rest } = takeVersion(process.argv.slice(2));
if (version === undefined) {
  await setup({ sdks: true });
  const names = rest[0] === '--changed' ? changedTests(rest[1]) : rest;
  if (names) process.exitCode = await run(tool('vitest/vitest.mjs'), ['run', ...names]);
} else {
  const { platform, arch } = process;
  // Done before the other Node is fetched, which would be lost if npm installs again.
  await setup();
  const program = await fetchNode(version, { folder: nodeFolder, platform, arch });
  console.error(`With Node ${execFileSync(program, ['--version']).toString().trim()}`);
  process.exitCode = await run(process.argv[1], rest, { program, env: environmentFor(program) });
}

/** Returns the arguments for Vitest, with the embedded database only, or undefined if nothing has changed. */
function changedTests(since = []) {
  const args = ['--import=tsx', 'scripts/changed-tests.ts', ...[since].flat()];
  const files = execFileSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (files === '') console.log('Nothing has changed.');
  return files === '' ? undefined : ['--project', 'embedded', ...files.trim().split('\n')];
}

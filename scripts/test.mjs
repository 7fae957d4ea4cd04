// `npm test [-- name …]`: ready the checkout, then run every test. The last line counts them.
// `npm test -- --node 24 [name …]`: the same with that Node.

import { execFileSync } from 'node:child_process';
import { environmentFor, fetchNode, nodeFolder, takeVersion } from './other-node.mjs';
import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

const { version, rest } = takeVersion(process.argv.slice(2));
if (version === undefined) {
  await setup({ sdks: true });
  process.exitCode = await run(tool('vitest/vitest.mjs'), ['run', ...rest]);
} else {
  const { platform, arch } = process;
  // Before the other one is fetched, which would be lost when npm installs anew.
  await setup();
  const program = await fetchNode(version, { folder: nodeFolder, platform, arch });
  console.error(`With Node ${execFileSync(program, ['--version']).toString().trim()}`);
  process.exitCode = await run(process.argv[1], rest, { program, env: environmentFor(program) });
}

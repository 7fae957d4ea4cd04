// `npm run check [-- --fix]`: words, format, lint and types.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
const fix = process.argv.includes('--fix') ? ['--write'] : [];
/** Checks types incrementally: files that have not changed since the last check are not checked again. */
const compile = (folder) => {
  const kept = `node_modules/.cache/tsc/${folder.replaceAll(/\W/g, '_')}.tsbuildinfo`;
  return run(tool('typescript/bin/tsc'), ['--noEmit', '--incremental', '--tsBuildInfoFile', kept, '-p', folder]);
};

// Checking the types of the service takes as long as all other checks together, so both run at the same time.
const [service, others] = await Promise.all([
  compile('.'),
  (async () => {
    const style = await run(tool('@biomejs/biome/bin/biome'), ['check', '--error-on-warnings', ...fix, '.']);
    const words = await run('scripts/check-words.mjs', []);
    return style || words || (await compile('packages/web')) || (await compile('examples'));
  })(),
]);
process.exitCode = service || others;

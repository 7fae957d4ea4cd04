// `npm run check [-- --fix]`: format, lint and types.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
const fix = process.argv.includes('--fix') ? ['--write'] : [];
/** What has not changed since the last check is not checked again. */
const compile = (folder) => {
  const kept = `node_modules/.cache/tsc/${folder.replaceAll(/\W/g, '_')}.tsbuildinfo`;
  return run(tool('typescript/bin/tsc'), ['--noEmit', '--incremental', '--tsBuildInfoFile', kept, '-p', folder]);
};

// Types of the service take as long as all others together: two at a time.
const [service, others] = await Promise.all([
  compile('.'),
  (async () => {
    const style = await run(tool('@biomejs/biome/bin/biome'), ['check', '--error-on-warnings', ...fix, '.']);
    return style || (await compile('packages/web')) || (await compile('examples'));
  })(),
]);
process.exitCode = service || others;

// `npm run check [-- --fix]`: format, lint and types.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
const fix = process.argv.includes('--fix') ? ['--write'] : [];
const style = await run(tool('@biomejs/biome/bin/biome'), ['check', '--error-on-warnings', ...fix, '.']);
const types = await run(tool('typescript/bin/tsc'), ['--noEmit', '-p', '.']);
const pages = await run(tool('typescript/bin/tsc'), ['--noEmit', '-p', 'packages/web']);
const examples = await run(tool('typescript/bin/tsc'), ['--noEmit', '-p', 'examples']);
process.exitCode = style || types || pages || examples;

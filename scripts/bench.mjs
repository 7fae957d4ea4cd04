// `npm run bench [-- name …]`: ready the checkout, then measure. Every figure is a ratio against a limit of the same run.
import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
process.exitCode = await run(tool('tsx/dist/cli.mjs'), ['bench/main.ts', ...process.argv.slice(2)]);

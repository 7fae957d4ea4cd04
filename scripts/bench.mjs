// `npm run bench [-- name …]`: sets up the checkout and measures the service relative to limits of the machine.
import { run } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
// Not through the tsx command, which kills a process that is too busy to handle Ctrl-C.
process.exitCode = await run('--import=tsx', ['bench/main.ts', ...process.argv.slice(2)]);

// `npm run bench [-- name …]`: ready the checkout, then measure. Every figure is a ratio against a limit of the same run.
import { run } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
// In Node itself, not through the command of tsx: that one kills without notice what is too busy to hear Ctrl-C.
process.exitCode = await run('--import=tsx', ['bench/main.ts', ...process.argv.slice(2)]);

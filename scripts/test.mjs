// `npm test [-- name …]`: ready the checkout, then run every test. The last line counts them.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
process.exitCode = await run(tool('vitest/vitest.mjs'), ['run', ...process.argv.slice(2)]);

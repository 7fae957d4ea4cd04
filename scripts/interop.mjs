// `npm run interop [-- name …]`: sets up the checkout and runs the interoperability proofs in interop/.
import { run } from './run.mjs';
import { setup } from './setup.mjs';

await setup();
process.exitCode = await run('--import=tsx', ['interop/main.ts', ...process.argv.slice(2)]);

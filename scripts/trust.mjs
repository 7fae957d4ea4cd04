// `npm run attack|faults|fuzz [-- chapter …]`: ready the checkout, then try all of it. A ledger tells what was tried.
import { run } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
process.exitCode = await run('--import=tsx', ['trust/main.ts', ...process.argv.slice(2)]);

// `npm run attack|faults|fuzz [-- chapter …]`: sets up the checkout, runs the campaign and prints its ledger.
import { run } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
process.exitCode = await run('--import=tsx', ['trust/main.ts', ...process.argv.slice(2)]);

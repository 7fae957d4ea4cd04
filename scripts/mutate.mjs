// `npm run mutate [-- words]`: removes the guards of the service one at a time, and checks that a test fails each time.
import { run } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
process.exitCode = await run('--import=tsx', ['trust/mutation/main.ts', ...process.argv.slice(2)]);

// `npm run mutate [-- words]`: switches the guards of the service off, one at a time, and sees that a test fails each time.
import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup({ sdks: true });
const words = process.argv.slice(2).join(' ');
if (words) process.env.TRUST_GUARD = words;
process.exitCode = await run(tool('vitest/vitest.mjs'), ['run', '--config', 'trust/mutation/vitest.config.ts']);

// `npm run dev`: serve from the sources and start again whenever one changes.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup();
process.exitCode = await run(tool('tsx/dist/cli.mjs'), ['watch', 'packages/server/src/main.ts', 'serve']);

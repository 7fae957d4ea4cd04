// `npm run dev`: serves from the sources, restarts when one changes, and rebuilds the pages.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup();
const pages = run(tool('vite/bin/vite.js'), ['build', 'packages/web', '--watch', '--logLevel', 'warn']);
const service = run(tool('tsx/dist/cli.mjs'), ['watch', 'packages/server/src/main.ts', 'serve']);
process.exitCode = await Promise.race([pages, service]);

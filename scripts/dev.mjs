// `npm run dev`: serve from the sources and start again whenever one changes; the pages are built anew when one of theirs does.

import { run, tool } from './run.mjs';
import { setup } from './setup.mjs';

await setup();
const pages = run(tool('vite/bin/vite.js'), ['build', 'packages/web', '--watch', '--logLevel', 'warn']);
const service = run(tool('tsx/dist/cli.mjs'), ['watch', 'packages/server/src/main.ts', 'serve']);
process.exitCode = await Promise.race([pages, service]);

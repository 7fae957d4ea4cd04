// `npm start`: ready the checkout, then serve in this very process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setup } from './setup.mjs';

await setup();
process.argv = [process.argv[0], 'gatehouse', 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(join(root, 'packages/server/dist/main.mjs')).href);

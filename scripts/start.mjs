// `npm start`: sets up the checkout, then serves in this process. The first start installs and builds for a minute, so
// it checks the port before that. Later starts report a used port at once.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isTaken } from './ports.mjs';
import { fail, root, setup } from './setup.mjs';

const { PORT = '8080', HOST = '' } = process.env;
const isFirst = !existsSync(join(root, 'node_modules')) && !existsSync('.env') && HOST === '';
if (isFirst && /^\d{1,5}$/.test(PORT) && Number(PORT) < 65_536 && (await isTaken(Number(PORT)))) {
  fail(`Port ${PORT} is in use by another program. Stop it, or choose a free port: PORT=9000 npm start`);
}
await setup();
process.argv = [process.argv[0], 'gatehouse', 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(join(root, 'packages/server/dist/main.mjs')).href);

// `npm run example [-- fastify | express | hono]`: the service, an API behind it and a product in front, as separate
// processes on host names of one site. Browsers resolve names below `localhost` to this machine.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTaken } from './ports.mjs';
import { root, setup } from './setup.mjs';

const KINDS = ['fastify', 'express', 'hono'];
/** Milliseconds for the other processes to end after one has ended, or after Ctrl-C. */
const GRACE_MS = 10_000;

const [kind = 'fastify'] = process.argv.slice(2);
if (!KINDS.includes(kind)) failUsage(`There is no example for ${kind}. Choose one of ${KINDS.join(', ')}.`);
const { EXAMPLE_PORT = '8080', EXAMPLE_DATA = join(root, 'examples/data'), EXAMPLE_DATABASE_URL = '' } = process.env;
const first = Number(EXAMPLE_PORT);
if (!Number.isInteger(first) || first < 1 || first > 65_533) failUsage('EXAMPLE_PORT must be a port from 1 to 65533.');
const [servicePort, apiPort, productPort] = [first, first + 1, first + 2];
for (const port of [servicePort, apiPort, productPort]) {
  if (await isTaken(port)) {
    failUsage(`Port ${port} is in use. Stop that program, or choose other ports: EXAMPLE_PORT=9000 npm run example`);
  }
}
await setup({ sdks: true });

const service = `http://id.gatehouse.localhost:${servicePort}`;
const product = `http://app.gatehouse.localhost:${productPort}`;
const address = `http://127.0.0.1:${servicePort}`;
mkdirSync(EXAMPLE_DATA, { recursive: true });

const children = new Set();
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0));

start(
  'The service',
  [join(root, 'packages/server/dist/main.mjs'), 'serve'],
  {
    PUBLIC_BASE_URL: service,
    PORT: servicePort,
    HOST: '127.0.0.1',
    DATA_DIR: EXAMPLE_DATA,
    DATABASE_URL: EXAMPLE_DATABASE_URL,
    CORS_ORIGINS: product,
    REDIRECT_ORIGINS: product,
  },
  EXAMPLE_DATA,
);
await untilReady(`${address}/readyz`, 200);
const settings = { ISSUER: service, SERVICE_ADDRESS: address, API_ADDRESS: `http://127.0.0.1:${apiPort}` };
start('The API', [join(root, `examples/apis/${kind}.mjs`)], { ...settings, PORT: apiPort });
start('The product', [join(root, 'examples/product/serve.mjs')], { ...settings, PORT: productPort });
await untilReady(`${settings.API_ADDRESS}/notes`, 401);
await untilReady(`http://127.0.0.1:${productPort}`, 200);
if (!ending) {
  console.log(
    `\nOpen ${product}: register, return to the product, and write a note. Ctrl-C stops all three processes.`,
  );
  console.log('(The commands above use ./data. The example keeps its data in a separate folder.)\n');
}

/** If one process ends, all are stopped: none is useful alone. */
function start(name, args, env, cwd = root) {
  if (ending) return;
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
  children.add(child);
  const ended = (how) => {
    children.delete(child);
    if (ending) return;
    console.error(`${name} exited (${how}). Stopping the others.`);
    end(1);
  };
  child.on('error', ({ message }) => ended(message));
  child.on('exit', (code, signal) => ended(signal ?? code));
}

function end(code) {
  // A second call ends the processes immediately.
  for (const child of children) child.kill(ending ? 'SIGKILL' : 'SIGTERM');
  if (ending) return;
  ending = true;
  process.exitCode = code;
  setTimeout(() => end(code), GRACE_MS).unref();
}

async function untilReady(url, wanted) {
  const isReady = () =>
    fetch(url).then(
      ({ status }) => status === wanted,
      () => false,
    );
  while (!ending && !(await isReady())) await new Promise((done) => setTimeout(done, 100));
}

function failUsage(message) {
  console.error(message);
  process.exit(2);
}

// `npm run example [-- fastify | express | hono]`: the service, an API behind it and a product in front, each a process of its own,
// on host names of one site. Browsers know that names below `localhost` are this machine.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

const kinds = ['fastify', 'express', 'hono'];
const [kind = 'fastify'] = process.argv.slice(2);
if (!kinds.includes(kind)) {
  console.error(`There is an example for each of ${kinds.join(', ')}; not for ${kind}.`);
  process.exit(2);
}
await setup({ sdks: true });

const { EXAMPLE_PORT = '8080', EXAMPLE_DATA = join(root, 'examples/data') } = process.env;
const [servicePort, apiPort, productPort] = [0, 1, 2].map((step) => Number(EXAMPLE_PORT) + step);
const service = `http://id.gatehouse.localhost:${servicePort}`;
const product = `http://app.gatehouse.localhost:${productPort}`;
mkdirSync(EXAMPLE_DATA, { recursive: true });

const children = [];
let ending = false;

/** Ends with the others: none of them is of use alone. */
function start(name, args, env, cwd = root) {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
  children.push(child);
  child.on('exit', (code) => {
    if (!ending && code !== 0) console.error(`${name} has ended with ${code}.`);
    end(code ?? 1);
  });
}

function end(code) {
  if (ending) return;
  ending = true;
  process.exitCode = code;
  for (const child of children) child.kill('SIGTERM');
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0));

start(
  'The service',
  [join(root, 'packages/server/dist/main.mjs'), 'serve'],
  {
    PUBLIC_BASE_URL: service,
    PORT: String(servicePort),
    HOST: '127.0.0.1',
    DATA_DIR: EXAMPLE_DATA,
    CORS_ORIGINS: product,
    REDIRECT_ORIGINS: product,
  },
  EXAMPLE_DATA,
);

/** Until it answers, or one of them has ended. */
async function untilReady(url, ...statuses) {
  const isReady = () =>
    fetch(url).then(
      ({ status }) => statuses.includes(status),
      () => false,
    );
  while (!ending && !(await isReady())) await new Promise((done) => setTimeout(done, 100));
}

const address = `http://127.0.0.1:${servicePort}`;
await untilReady(`${address}/readyz`, 200);

if (!ending) {
  const known = { ISSUER: service, SERVICE_ADDRESS: address };
  start('The API', [join(root, `examples/apis/${kind}.mjs`)], { ...known, PORT: String(apiPort) });
  const api = `http://127.0.0.1:${apiPort}`;
  start('The product', [join(root, 'examples/product/serve.mjs')], {
    ...known,
    API_ADDRESS: api,
    PORT: String(productPort),
  });
  await untilReady(api, 401);
  await untilReady(`http://127.0.0.1:${productPort}`, 200);
}
if (!ending) {
  console.log(`\nOpen ${product}: register, come back, write a note. Ctrl-C ends all three.\n`);
}

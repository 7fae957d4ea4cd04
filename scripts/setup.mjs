// Prepares a checkout: installs if node_modules is missing or older than the lock, and builds what is stale. Plain Node
// without dependencies: this runs first on a new machine.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);

/** The builds and their sources. A stamp in the result contains the hash of the sources. */
const BUILDS = [
  {
    name: 'server',
    sources: [
      'packages/contract/src',
      'packages/embedded-postgres/src',
      'packages/migrate/src',
      'packages/web/src/index.ts',
      'packages/web/src/pages.ts',
      'packages/web/src/settings.ts',
      'packages/web/src/plain',
      'packages/server/src',
      'packages/server/build.mjs',
      'packages/server/native.mjs',
      'package-lock.json',
    ],
    result: 'packages/server/dist',
    command: ['node', [at('packages/server/build.mjs')], at('packages/server')],
  },
  {
    name: 'pages',
    sources: [
      'packages/contract/src',
      'packages/client/src',
      'packages/web/src',
      'packages/web/app.html',
      'packages/web/hosted.html',
      'packages/web/vite.config.ts',
      'package-lock.json',
    ],
    result: 'packages/web/dist',
    command: ['node', [at('packages/web/build.mjs')], at('packages/web')],
  },
];

/** The SDKs are for other programs: the service does not need them. */
const SDKS = ['client', 'verify'].map((name) => ({
  name: `${name} SDK`,
  sources: [`packages/${name}/src`, `packages/${name}/tsconfig.json`, 'scripts/build-sdk.mjs', 'package-lock.json'],
  result: `packages/${name}/dist`,
  command: ['node', [at('scripts/build-sdk.mjs'), name], root],
}));

export async function setup({ sdks = false } = {}) {
  checkNode();
  await installIfStale();
  for (const build of sdks ? [...BUILDS, ...SDKS] : BUILDS) await buildIfStale(build);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 20)) return;
  fail(`Gatehouse requires Node 20.20 or later. This is ${process.versions.node}.`);
}

async function installIfStale() {
  const lock = hashOf(['package-lock.json']);
  const stamp = at('node_modules/.gatehouse-install');
  const state = `${lock} ${process.platform} ${process.arch}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  if (!installedByHand()) {
    const npm = process.env.npm_execpath?.endsWith('.js') ? ['node', [process.env.npm_execpath]] : ['npm', []];
    // NODE_ENV=production would omit what the build needs. No dependency needs its install script.
    const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await step('Installing dependencies (about a minute the first time)', npm[0], [...npm[1], ...args], root);
  }
  writeFileSync(stamp, state);
}

/** Whether npm was run manually after the lock last changed. */
function installedByHand() {
  const installed = at('node_modules/.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(at('package-lock.json')).mtimeMs;
}

async function buildIfStale({ name, sources, result, command }) {
  const stamp = at(result, '.stamp');
  const state = hashOf(sources);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;
  await step(`Building the ${name}`, ...command);
  mkdirSync(at(result), { recursive: true });
  writeFileSync(stamp, state);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesBelow(at(path))).sort()) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => (name.includes('.test.') ? [] : filesBelow(join(path, name))));
}

/** Runs a command with a timer; its output is shown only if it fails. */
export async function step(title, command, args, cwd) {
  const started = Date.now();
  const elapsed = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  const terminal = process.stderr.isTTY;
  process.stderr.write(terminal ? `${title} …` : `${title} …\n`);
  const ticker = setInterval(() => {
    if (terminal) process.stderr.write(`\r${title} … ${elapsed()}`);
  }, 1000);
  const output = [];
  const child = spawn(command === 'node' ? process.execPath : command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
  });
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(Buffer.from(error.message));
      resolve(1);
    });
    child.on('close', resolve);
  });
  clearInterval(ticker);
  process.stderr.write(`${terminal ? '\r' : ''}${title} … ${code === 0 ? 'done' : 'failed'} in ${elapsed()}\n`);
  if (code === 0) return;
  const text = Buffer.concat(output).toString().trim();
  fail(remedyFor(text) ?? `${title} failed:\n${text}`);
}

/** Common errors of new users, with the remedy; any other output is shown as it is. */
function remedyFor(output) {
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output)) {
    return `✗ You cannot write to this folder (${root}). Use a checkout that you own, or change the owner of this one.`;
  }
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.test(output)) {
    return "✗ The npm registry cannot be reached. Check the network and npm's proxy and registry settings, then run the command again.";
  }
  if (/\bENOSPC\b/.test(output)) return '✗ The disk is full. Free disk space, then run the command again.';
  return undefined;
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup();

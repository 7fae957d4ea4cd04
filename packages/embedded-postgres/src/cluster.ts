import { randomBytes } from 'node:crypto';
import { lchown, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { claimShelter, isOurCluster } from './cluster-location.ts';
import { readIfThere, syncFolder, writeOnce } from './durable-file.ts';
import type { Engine } from './engine.ts';
import { EmbeddedError, errorCode } from './error.ts';
import { pinned } from './guarded-file.ts';
import { runAs } from './identity.ts';
import { isRunning } from './process-state.ts';
import type { ClusterLocation, Site } from './site.ts';

const STAGING = /^postgres\.new-(\d+)-/;
/** Pids are ambiguous across containers, so a draft older than this counts as abandoned even if its pid is running. */
const ABANDONED_MS = 600_000;

/** LC_CTYPE defines letters for text search; macOS and old systems have no C.UTF-8. */
const LOCALES = [
  ['--locale=C.UTF-8'],
  ['--locale=C', '--lc-ctype=UTF-8', '--builtin-locale=C.UTF-8'],
  ['--locale=C', '--builtin-locale=C.UTF-8'],
];

/** The password of the cluster, which is generated at the first start. */
export async function readPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres.password');
  try {
    const known = await readIfThere(path);
    return (known ?? (await writeOnce(path, `${randomBytes(24).toString('base64url')}\n`))).trim();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
    throw new EmbeddedError(`cannot use ${path} (${errorCode(error)}): run as the user that owns ${dataDir}`);
  }
}

/** Creates the cluster if there is none; a new one appears complete or not at all. */
export async function ensureCluster(site: Site, location: ClusterLocation, engine: Engine): Promise<void> {
  const { cluster } = location;
  if (await isOurCluster(cluster)) return;
  await rmdir(cluster).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  await removeAbandoned(location.home);
  site.progress(`creating the database in ${cluster}`);
  await createCluster(site, location, engine);
  await claimShelter(site.dataDir, location.home);
}

async function createCluster(site: Site, { home, cluster, identity }: ClusterLocation, engine: Engine): Promise<void> {
  const staging = await mkdtemp(join(home, `postgres.new-${process.pid}-`));
  const draft = join(staging, 'postgres');
  const pwfile = join(staging, 'password');
  try {
    await pinned(staging, [process.getuid?.()], async (inside, handle) => {
      await writeFile(join(inside, 'password'), `${site.password}\n`, { mode: 0o600 });
      await mkdir(join(inside, 'postgres'), { mode: 0o700 });
      for (const name of ['password', 'postgres']) await lchown(join(inside, name), identity.uid, identity.gid);
      // Changes the owner last: until now no other user could enter the folder.
      await handle.chown(identity.uid, identity.gid);
    });
    await initialize(site, engine, { draft, pwfile, identity });
    await syncFolder(draft);
    await rename(draft, cluster).catch((error) => {
      // A concurrent first start created the cluster first, with the same password file.
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    });
    await syncFolder(home);
    await syncFolder(dirname(home));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

interface Draft extends Pick<ClusterLocation, 'identity'> {
  draft: string;
  pwfile: string;
}

async function initialize(site: Site, engine: Engine, { draft, pwfile, identity }: Draft): Promise<void> {
  const fixed = ['-D', draft, '-U', site.name, '-E', 'UTF8', '--locale-provider=builtin', '--no-instructions'];
  let text = '';
  for (const locale of LOCALES) {
    const access = ['-A', 'scram-sha-256', `--pwfile=${pwfile}`];
    const args = [...fixed, ...locale, ...access];
    let output = await runAs(identity, engine.initdb, args, site.signal);
    // Only initdb requires a name for its uid, which a container may lack; inside a namespace the name is `nobody`.
    if (/could not look up effective user/.test(output.text)) {
      output = await runAs({ ...identity, kind: 'namespace' }, engine.initdb, args, site.signal);
    }
    site.signal.throwIfAborted();
    if (output.code === 0) return;
    text = output.text.trim();
    if (!/locale/.test(text.split('\n').at(-1) ?? '') && !/invalid locale/.test(text)) break;
  }
  if (/ENOENT|EACCES|cannot execute|No such file/.test(text)) {
    throw new EmbeddedError(`the PostgreSQL binaries do not run on this system (${text}): ${site.hints.instead}`);
  }
  throw new EmbeddedError(`the database could not be created, initdb says:\n${text.split('\n').slice(-8).join('\n')}`);
}

/** Removes the unfinished clusters of first starts that were killed. */
async function removeAbandoned(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = Number(STAGING.exec(name)?.[1]);
    if (!pid) continue;
    const path = join(home, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => performance.timeOrigin + performance.now() - mtimeMs,
      () => 0,
    );
    if (age < ABANDONED_MS && (await isRunning(pid))) continue;
    // An orphaned initdb may still write here; the rest is removed at a later start.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readIfThere, syncFolder, writeDurably } from './durable-file.ts';
import { MAJOR } from './engine.ts';
import { EmbeddedError, errorCode } from './error.ts';
import { foreignOwner, type Owner } from './guarded-file.ts';
import { canReach, type Identity, listAccounts, NAMESPACE, ownIdentity, runAs } from './identity.ts';
import { listClusterProcesses } from './process-state.ts';
import type { ClusterLocation, Site } from './site.ts';
import { chownTree, copyTree } from './tree.ts';

const CLUSTER = 'postgres';
const SHELTERS = ['/var/lib', '/var/tmp'];

function recordPath(dataDir: string): string {
  return join(dataDir, 'postgres.home');
}

/** The folder of the cluster, whether it exists or not. */
export async function locateCluster(dataDir: string): Promise<{ home: string; cluster: string }> {
  const home = (await readIfThere(recordPath(dataDir)))?.trim() || dataDir;
  return { home, cluster: join(home, CLUSTER) };
}

/** Decides in which folder and as which user the cluster runs; moves or chowns it if necessary. It must be stopped. */
export async function settle(site: Site): Promise<ClusterLocation> {
  const { home, cluster } = await locateCluster(site.dataDir);
  const owner = await ownerOf(cluster);
  const me = ownIdentity();
  if (home !== site.dataDir && !owner) {
    throw new EmbeddedError(`the database recorded in ${recordPath(site.dataDir)} is missing: restore ${cluster}`);
  }
  if (me.uid !== 0) {
    if (owner && owner.uid !== me.uid) {
      throw new EmbeddedError(`the database in ${cluster} belongs to uid ${owner.uid}: run as that user or as root`);
    }
    return { home, cluster, identity: me };
  }
  await rejectForeignLinks(site, home, cluster);
  // A cluster keeps its account, even if namespaces become available later.
  if (owner && owner.uid !== 0) return { home, cluster, identity: { kind: 'account', ...owner } };
  // Checked before any change of ownership: the folder must be a database.
  const exists = await isOurCluster(cluster);
  const identity = await chooseInPlace(site, exists ? owner : undefined);
  if (!identity) return moveToShelter(site, exists);
  if (exists && identity.uid !== owner?.uid) {
    await waitForOrphans(cluster);
    await chownTree(await realpath(cluster), identity);
  }
  return { home, cluster, identity };
}

/** Returns false if the folder is empty or missing; throws if it contains anything but a database of our version. */
export async function isOurCluster(cluster: string): Promise<boolean> {
  const version = (await readIfThere(join(cluster, 'PG_VERSION')))?.trim();
  if (version === MAJOR) return true;
  if (version !== undefined) {
    throw new EmbeddedError(
      `the database in ${cluster} was created by PostgreSQL ${version}, but this version runs ${MAJOR}: export it with the version that created it, then import it`,
    );
  }
  const names = await readdir(cluster).catch((error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return false;
  throw new EmbeddedError(`${cluster} contains no database but is not empty: move it away and start again`);
}

/** For root in a folder of another user: that user must not redirect root to the database or folder of a third user. */
async function rejectForeignLinks(site: Site, home: string, cluster: string): Promise<void> {
  if (!(await foreignOwner(site.dataDir))) return;
  if (home !== site.dataDir && basename(home) !== shelterName(site)) {
    throw new EmbeddedError(`${recordPath(site.dataDir)} names ${home}, which was not created for this folder`);
  }
  const found = await lstat(cluster).catch(() => undefined);
  // A link made by the owner or by root is fine, for example to another disk.
  if (!found?.isSymbolicLink() || found.uid === 0 || found.uid === (await ownerOf(cluster))?.uid) return;
  throw new EmbeddedError(
    `${cluster} is a link of uid ${found.uid} to a file of another user: root does not follow it; remove it`,
  );
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new EmbeddedError(`cannot access ${path}: ${(error as Error).message}`);
  }
}

/** Returns an identity for root that can work inside the data folder, or undefined. */
async function chooseInPlace(site: Site, cluster: Owner | undefined): Promise<Identity | undefined> {
  const { uid, gid } = await stat(site.dataDir);
  const host: Identity[] = uid === 0 ? [] : [{ kind: 'account', uid, gid }];
  const namespace = site.overrides.asRoot === 'account' ? [] : [NAMESPACE];
  // A new cluster in a user's folder is owned by that user, who can then run it without root.
  const candidates = cluster ? [...namespace, ...host] : [...host, ...namespace];
  for (const identity of candidates) {
    if ((await canReach(identity, site.dataDir)) && (cluster || (await hasName(identity)))) return identity;
  }
  for (const account of site.overrides.asRoot === 'namespace' ? [] : await listAccounts()) {
    if (await canReach(account, site.dataDir)) return account;
    if (await admitAccount(site.dataDir, account)) return account;
  }
  return undefined;
}

/** initdb requires that the uid has a name, which the owner of a folder mounted into a container may not have. */
async function hasName(identity: Identity): Promise<boolean> {
  return (await runAs(identity, 'id', ['-un'])).code === 0;
}

/**
 * Lets the account's group enter the data folder if only its mode prevents that: otherwise the cluster would be moved,
 * and data outside of a volume may get lost.
 */
async function admitAccount(dataDir: string, account: Identity): Promise<boolean> {
  const before = await stat(dataDir);
  if ((before.mode & 0o070) !== 0) return false;
  if (!(await canReach(account, join(dataDir, '..')))) return false;
  await chown(dataDir, before.uid, account.gid);
  await chmod(dataDir, (before.mode & 0o707) | 0o010);
  if (await canReach(account, dataDir)) return true;
  await chown(dataDir, before.uid, before.gid);
  await chmod(dataDir, before.mode & 0o777);
  return false;
}

function shelterName({ name, dataDir }: Site): string {
  return `${name}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
}

async function moveToShelter(site: Site, exists: boolean): Promise<ClusterLocation> {
  const accounts = site.overrides.asRoot === 'namespace' ? [] : await listAccounts();
  for (const base of site.overrides.shelters ?? SHELTERS) {
    const home = join(base, shelterName(site));
    const isNew = await mkdir(home).then(
      () => true,
      () => false,
    );
    // PostgreSQL's OS account must be able to enter this folder, whatever the umask: mkdir applies it.
    if (isNew) await chmod(home, 0o755);
    // In a world-writable folder another user may have created the shelter.
    const found = await lstat(home).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== 0) continue;
    for (const identity of accounts) {
      if (!(await canReach(identity, home))) continue;
      const cluster = join(home, CLUSTER);
      await setAsideUnclaimed(cluster);
      if (exists) await moveCluster(site, { home, cluster, identity });
      site.log.warn(
        { home },
        `root cannot run PostgreSQL inside ${site.hints.dataDir}: the database is in another folder; back up that folder`,
      );
      return { home, cluster, identity };
    }
  }
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and neither a user namespace nor an unprivileged account can be used: run as another user or ${site.hints.instead}`,
  );
}

/** Renames a cluster that no data folder refers to. It is kept: its data folder may have been deleted by mistake. */
async function setAsideUnclaimed(cluster: string): Promise<void> {
  if (await ownerOf(cluster))
    await rename(cluster, `${cluster}.unclaimed-${process.pid}-${Math.trunc(performance.timeOrigin)}`);
}

async function moveCluster(site: Site, to: ClusterLocation): Promise<void> {
  const from = join(site.dataDir, CLUSTER);
  await waitForOrphans(from);
  const staging = `${to.cluster}.moving`;
  await rm(staging, { recursive: true, force: true });
  await copyTree(from, staging, { owner: to.identity });
  await rename(staging, to.cluster);
  await syncFolder(to.home);
  await claimShelter(site.dataDir, to.home);
  await rm(from, { recursive: true, force: true });
}

/** Records the shelter as the location. Called only when a complete cluster is in it. */
export async function claimShelter(dataDir: string, home: string): Promise<void> {
  if (home !== dataDir) await writeDurably(recordPath(dataDir), `${home}\n`);
}

async function waitForOrphans(cluster: string): Promise<void> {
  for (let round = 0; (await listClusterProcesses(cluster)).length > 0; round++) {
    if (round > 100) throw new EmbeddedError(`PostgreSQL processes still work in ${cluster}: end them and start again`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether the database was ever created. Creates nothing. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await ownerOf((await locateCluster(dataDir)).cluster)) !== undefined;
}

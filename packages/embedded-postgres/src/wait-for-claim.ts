import { setTimeout as sleep } from 'node:timers/promises';
import { listens, readClaimant } from './claim.ts';
import { EmbeddedError } from './error.ts';
import { findPostmaster } from './postmaster-file.ts';
import { isPostmasterOf, listClusterProcesses } from './process-state.ts';
import type { Site } from './site.ts';

const POLL_MS = 50;
/** Long enough for a PostgreSQL that is being stopped. */
const FOREIGN_CLAIM_TIMEOUT_MS = 2500;
export const ORPHANS_TIMEOUT_MS = 2000;
/** The timeout for temporary states: lost races, a first start in progress, a shutdown. */
export const CLAIM_TIMEOUT_MS = 20_000;

/**
 * Called repeatedly while a PostgreSQL that is not visible here holds the claim. Waits briefly; after a timeout, throws
 * an error that names the host of that PostgreSQL.
 */
export async function waitForClaim(site: Site, cluster: string, waited: number): Promise<void> {
  const elsewhere = waited > FOREIGN_CLAIM_TIMEOUT_MS && (await listens(cluster)) && !(await findPostmaster(cluster));
  if (elsewhere || waited > CLAIM_TIMEOUT_MS) {
    const host = await readClaimant(site.dataDir);
    throw new EmbeddedError(
      elsewhere
        ? `the database in ${cluster} is run by another container or machine (${host}): stop it there, or give this one its own ${site.hints.dataDir}`
        : `the database in ${cluster} is used by processes that are not visible here (${host}): stop them and start again`,
    );
  }
  // Backends in a long query do not notice that their postmaster died. They can no longer commit safely.
  if (waited > ORPHANS_TIMEOUT_MS) await endOrphans(cluster);
  await sleep(POLL_MS);
}

export async function endOrphans(cluster: string): Promise<void> {
  const orphans = await listClusterProcesses(cluster);
  // Another starter succeeded meanwhile, perhaps in a container whose pids differ here: these processes belong to it.
  if ((await findPostmaster(cluster)) || (await listens(cluster))) return;
  for (const pid of orphans) if (await isPostmasterOf(pid, cluster)) return;
  for (const pid of orphans) {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // The process has already ended.
    }
  }
}

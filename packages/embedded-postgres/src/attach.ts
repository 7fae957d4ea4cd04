import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimCluster } from './claim.ts';
import { locateCluster } from './cluster-location.ts';
import { EmbeddedError, errorCode, reasonOf } from './error.ts';
import { diagnoseExit, failLaunch, type Launch, launch } from './launch.ts';
import { becomeServer, findServer, joinUsers, type LockConnection, openLockConnection } from './lock-connection.ts';
import { findPostmaster, type Postmaster, socketPath } from './postmaster-file.ts';
import type { Site } from './site.ts';
import { stopPostmaster } from './stop.ts';
import { CLAIM_TIMEOUT_MS, endOrphans, ORPHANS_TIMEOUT_MS, waitForClaim } from './wait-for-claim.ts';

const POLL_MS = 15;
/** Long, because recovery after a crash can take minutes. */
const READY_TIMEOUT_MS = 600_000;
const CONNECT_TIMEOUT_MS = 10_000;

export interface Attached {
  lockConnection: LockConnection;
  postmaster: Postmaster;
  cluster: string;
  adopted: boolean;
}

/** Connects to the PostgreSQL of this folder, starts it if it is not running, and takes the locks of our role. */
export async function attach(site: Site): Promise<Attached> {
  const began = performance.now();
  let launched: Launch | undefined;
  let waitingSince: number | undefined;
  for (;;) {
    site.signal.throwIfAborted();
    const { cluster } = await locateCluster(site.dataDir);
    const running = await findPostmaster(cluster);
    if (!running) {
      if (launched && performance.now() - began > CLAIM_TIMEOUT_MS) await failLaunch(launched);
      const started = await launchIfFree(site, cluster);
      if (!started) {
        waitingSince ??= performance.now();
        await waitForClaim(site, cluster, performance.now() - waitingSince);
        continue;
      }
      launched = started;
    }
    waitingSince = undefined;
    const joined = running
      ? await connectWhenReady(site, cluster, running)
      : await connectLaunched(site, launched as Launch);
    if (!joined) {
      if (launched?.ended()) await recoverFromExit(site, launched, performance.now() - began);
      continue;
    }
    if (await takeRole(site, joined.lockConnection))
      return { ...joined, adopted: joined.postmaster.pid !== launched?.pid };
    await sleep(POLL_MS);
  }
}

/** Returns undefined if another process has claimed the cluster. Keeps our claim until PostgreSQL has inherited it. */
async function launchIfFree(site: Site, cluster: string): Promise<Launch | undefined> {
  const claim = await claimCluster(site, cluster);
  if (!claim) return undefined;
  try {
    return await launch(site, claim);
  } finally {
    await claim.release();
  }
}

type Joined = Omit<Attached, 'adopted'>;

async function connectLaunched(site: Site, launched: Launch): Promise<Joined | undefined> {
  try {
    const postmaster = await awaitLockFile(site, launched);
    return postmaster && (await connectWhenReady(site, launched.location.cluster, postmaster));
  } catch (error) {
    // PostgreSQL is unusable, or we are being closed: do not leave PostgreSQL running.
    await launched.stop();
    throw error;
  }
}

/** Waits for PostgreSQL's lock file. Returns undefined if PostgreSQL ended first. */
async function awaitLockFile(site: Site, launched: Launch): Promise<Postmaster | undefined> {
  while (!launched.ended()) {
    site.signal.throwIfAborted();
    const postmaster = await findPostmaster(launched.location.cluster);
    if (postmaster) return postmaster;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Returns undefined if this postmaster ended or had to be stopped: the caller tries again. */
async function connectWhenReady(site: Site, cluster: string, { pid }: Postmaster): Promise<Joined | undefined> {
  const began = performance.now();
  let readySince: number | undefined;
  let reportedWait = false;
  for (;;) {
    site.signal.throwIfAborted();
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.pid !== pid) return undefined;
    const waited = performance.now() - began;
    if (waited > READY_TIMEOUT_MS)
      throw new EmbeddedError(`PostgreSQL (pid ${pid}) does not become ready: see postgres.log`);
    if (waited > ORPHANS_TIMEOUT_MS && !reportedWait) {
      reportedWait = true;
      site.progress('waiting for the database to recover');
    }
    // Connecting before PostgreSQL is ready would only fill its log with errors.
    if (postmaster.ready) {
      readySince ??= performance.now();
      try {
        const socketFolder = await visibleFolder(postmaster);
        return {
          lockConnection: await openLockConnection(site, socketFolder),
          postmaster: { ...postmaster, socketFolder },
          cluster,
        };
      } catch (error) {
        await handleConnectError(site, { error, postmaster, cluster, waited: performance.now() - readySince });
      }
    }
    await sleep(POLL_MS);
  }
}

/** A PostgreSQL with its own /tmp (systemd's PrivateTmp, a container with our pids) is reached through /proc. */
async function visibleFolder({ pid, socketFolder }: Postmaster): Promise<string> {
  if (await exists(socketPath(socketFolder))) return socketFolder;
  const viaProc = `/proc/${pid}/root${socketFolder}`;
  return (await exists(socketPath(viaProc))) ? viaProc : socketFolder;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

interface ConnectFailure {
  error: unknown;
  postmaster: Postmaster;
  cluster: string;
  waited: number;
}

async function handleConnectError(site: Site, { error, postmaster, cluster, waited }: ConnectFailure): Promise<void> {
  const code = errorCode(error);
  // PostgreSQL is starting, recovering or shutting down.
  if (code === '57P03' || code === '57P01') return;
  if (code === '28P01' || code === '28000') {
    throw new EmbeddedError(
      `the database rejects the password in ${site.dataDir}/postgres.password: restore that file`,
    );
  }
  if (code === 'ENOENT' && (await lostItsSocket(cluster, postmaster))) {
    site.log.warn({ postgres_pid: postmaster.pid }, 'the socket folder of the running database is gone: restarting it');
    await stopPostmaster(postmaster.pid, cluster);
    return;
  }
  if (waited > CONNECT_TIMEOUT_MS) {
    throw new EmbeddedError(`cannot connect to the running database (pid ${postmaster.pid}): ${reasonOf(error)}`);
  }
}

/** A stopping postmaster also removes its socket, but notes the stop in its lock file first. */
async function lostItsSocket(cluster: string, { pid, socketFolder }: Postmaster): Promise<boolean> {
  if (await exists(socketPath(socketFolder))) return false;
  await sleep(POLL_MS);
  const now = await findPostmaster(cluster);
  return now?.pid === pid && now.ready;
}

async function recoverFromExit(site: Site, launched: Launch, elapsed: number): Promise<void> {
  const verdict = await diagnoseExit(site, launched);
  if (verdict === 'orphans' && elapsed > ORPHANS_TIMEOUT_MS) {
    // Backends in a long query do not notice that their postmaster died. They can no longer commit safely.
    await endOrphans(launched.location.cluster);
  }
  await sleep(verdict === 'orphans' ? 50 : POLL_MS);
}

/** Returns false if the last process that used the database is stopping it, or if it went down. The caller retries. */
async function takeRole(site: Site, lockConnection: LockConnection): Promise<boolean> {
  try {
    if (await joinUsers(lockConnection)) return await takeServerRole(site, lockConnection);
  } catch (error) {
    if (error instanceof EmbeddedError) {
      await lockConnection.client.end().catch(() => undefined);
      throw error;
    }
  }
  await lockConnection.client.end().catch(() => undefined);
  return false;
}

async function takeServerRole(site: Site, lockConnection: LockConnection): Promise<true> {
  if (site.role === 'tool') return true;
  for (
    const deadline = performance.now() + ORPHANS_TIMEOUT_MS;
    !(await becomeServer(lockConnection));
    await sleep(POLL_MS)
  ) {
    const server = await findServer(lockConnection);
    if (server?.alive || performance.now() > deadline) {
      const who = server ? ` (pid ${server.pid})` : '';
      throw new EmbeddedError(
        `another server${who} already runs on ${site.dataDir}: stop it, or give this one its own ${site.hints.dataDir}`,
      );
    }
  }
  return true;
}

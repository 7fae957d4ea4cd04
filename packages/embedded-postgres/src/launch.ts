import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from './claim.ts';
import { ensureCluster } from './cluster.ts';
import { settle } from './cluster-location.ts';
import { prepareEngine } from './engine.ts';
import { EmbeddedError } from './error.ts';
import { commandAs } from './identity.ts';
import { type LogFile, openLogFile, readTail } from './log-file.ts';
import { disarmStaleLocks, readPostmasterFile } from './postmaster-file.ts';
import { postgresArguments } from './settings.ts';
import type { ClusterLocation, Site } from './site.ts';
import { prepareSocketFolder, removeSocketFolder, type SocketFolder } from './socket-folder.ts';

export interface Launch {
  location: ClusterLocation;
  pid: number | undefined;
  socketFolder: SocketFolder;
  log: LogFile;
  /** The exit code or signal once PostgreSQL has ended. */
  ended(): string | undefined;
  stop(): Promise<void>;
}

const POLL_MS = 10;
const STOP_SIGNALS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5000],
  ['SIGKILL', 5000],
] as const;

/** Starts PostgreSQL, which outlives this process. Another process may have started one first: see `diagnoseExit`. */
export async function launch(site: Site, claim: Claim): Promise<Launch> {
  const location = await settle(site);
  const engine = await prepareEngine(site, location);
  await ensureCluster(site, location, engine);
  site.signal.throwIfAborted();
  const { log, handle } = await openLogFile(site.dataDir);
  try {
    const stale = await readPostmasterFile(location.cluster);
    const staleFolder = stale?.cluster === location.cluster ? stale.socketFolder : undefined;
    const socketFolder = await prepareSocketFolder(site, location.identity, staleFolder);
    await disarmStaleLocks(location.cluster, socketFolder.path);
    const postgres = postgresArguments(location.cluster, socketFolder.path, site.settings);
    const { command, args, options } = commandAs(location.identity, engine.postgres, postgres);
    // PostgreSQL gets its own session, and files instead of pipes: neither Ctrl-C nor kill -9 of this process ends it.
    const stdio = ['ignore' as const, handle.fd, handle.fd, claim.fd ?? ('ignore' as const)];
    const child = spawn(command, args, { ...options, detached: true, stdio });
    return { location, pid: child.pid, socketFolder, log, ...watchChild(site, child, socketFolder) };
  } finally {
    await handle.close();
  }
}

function watchChild(site: Site, child: ChildProcess, socketFolder: SocketFolder): Pick<Launch, 'ended' | 'stop'> {
  let end: string | undefined;
  // The listener makes Node collect the exit status, so that no zombie keeps the pid.
  child.once('exit', (code, signal) => {
    end = signal ?? `exit code ${code}`;
  });
  child.once('error', (error) => {
    end = error.message;
  });
  child.unref();
  async function stop(): Promise<void> {
    for (const [signal, timeoutMs] of STOP_SIGNALS) {
      if (end === undefined) child.kill(signal);
      const deadline = performance.now() + timeoutMs;
      while (end === undefined && performance.now() < deadline) await sleep(POLL_MS);
    }
    if (socketFolder.fresh) await removeSocketFolder(socketFolder.path, site.name);
  }
  return { ended: () => end, stop };
}

type Verdict = 'lost' | 'orphans' | 'again';

/** Returns why PostgreSQL exited if that is temporary; otherwise throws an error with the last lines of its log. */
export async function diagnoseExit(site: Site, launched: Launch): Promise<Verdict> {
  const tail = await readTail(launched.log);
  const folderThere = await folderExists(launched.socketFolder.path);
  if (launched.socketFolder.fresh) await removeSocketFolder(launched.socketFolder.path, site.name);
  if (/pre-existing shared memory block/.test(tail)) return 'orphans';
  if (/lock file "[^"]*" (already exists|is empty)|could not bind .*in use/.test(tail)) return 'lost';
  // PostgreSQL was stopped on purpose, or an earlier process that was closing removed the socket folder.
  const stopped = ['exit code 0', 'SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGKILL'].includes(launched.ended() ?? '');
  const folderRemoved = !folderThere || /could not create lock file .*No such file or directory/.test(tail);
  if (stopped || folderRemoved) return 'again';
  throw exitError(launched, tail);
}

export async function failLaunch(launched: Launch): Promise<never> {
  throw exitError(launched, await readTail(launched.log));
}

function exitError(launched: Launch, tail: string): EmbeddedError {
  return new EmbeddedError(
    `the embedded PostgreSQL did not start (${launched.ended() ?? 'still running'}), ${launched.log.path} ends with:\n${tail}`,
  );
}

async function folderExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

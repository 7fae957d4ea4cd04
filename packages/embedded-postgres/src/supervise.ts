import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attached, attach } from './attach.ts';
import { errorCode, reasonOf } from './error.ts';
import { leaveUsers } from './lock-connection.ts';
import { socketPath } from './postmaster-file.ts';
import type { Site } from './site.ts';
import { removeSocketFolder } from './socket-folder.ts';
import { stopPostmaster } from './stop.ts';

const MAX_DELAY_MS = 1000;
const CHECK_INTERVAL_MS = 1000;

interface Supervision {
  /** Ends the supervision, and stops the database if no other process uses it. */
  close(): Promise<void>;
}

/** Restores the lock connection, the locks and, if necessary, PostgreSQL itself, until closed. */
export function supervise(
  site: Site,
  first: Attached,
  abort: AbortController,
  moved: (host: string) => void,
): Supervision {
  let current: Attached | undefined = first;
  let closed: Promise<void> | undefined;

  async function watch(): Promise<void> {
    while (current && !abort.signal.aborted) {
      const { lockConnection } = current;
      const round = new AbortController();
      const lost = lostSocket(current, AbortSignal.any([abort.signal, round.signal]));
      await Promise.race([lockConnection.ended, aborted(abort.signal), lost]);
      round.abort();
      if (abort.signal.aborted) return;
      current = undefined;
      // If only the socket was lost, this connection works but new ones fail: attach then restarts the database.
      await lockConnection.client.end().catch(() => undefined);
      site.log.warn({}, 'lost the connection to the embedded database');
      current = await reattach(site);
      if (current) moved(current.postmaster.socketFolder);
    }
  }
  const watching = watch();

  async function close(): Promise<void> {
    abort.abort();
    await watching;
    if (current) await leave(site, current);
  }
  return {
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Returns undefined if `close` was called meanwhile. */
async function reattach(site: Site): Promise<Attached | undefined> {
  let known = '';
  for (let delay = 25; ; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
    try {
      const attached = await attach(site);
      site.log.info(
        { postgres_pid: attached.postmaster.pid, restarted: !attached.adopted },
        'the embedded database is back',
      );
      return attached;
    } catch (error) {
      if (site.signal.aborted) return undefined;
      const reason = reasonOf(error);
      if (reason !== known) site.log.warn({ reason }, 'the embedded database is not back yet');
      known = reason;
    }
    await sleep(delay, undefined, { signal: site.signal }).catch(() => undefined);
  }
}

/** Resolves when the socket has disappeared, for example because the temporary folder was cleaned. */
async function lostSocket({ postmaster }: Attached, signal: AbortSignal): Promise<void> {
  const path = socketPath(postmaster.socketFolder);
  while (!signal.aborted) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    const code = await stat(path).then(() => undefined, errorCode);
    if (code === 'ENOENT') return;
  }
}

async function leave(site: Site, { lockConnection, postmaster, cluster }: Attached): Promise<void> {
  // If the lock connection was just lost, nothing is stopped: a later start adopts a running database.
  const last = await leaveUsers(lockConnection).catch(() => false);
  if (last) {
    // The exclusive lock lasts until the connection ends with the database, so no process joins in between.
    if (await stopPostmaster(postmaster.pid, cluster)) await removeSocketFolder(postmaster.socketFolder, site.name);
    else site.log.warn({ postgres_pid: postmaster.pid }, 'the embedded database does not stop: it is left running');
  }
  await lockConnection.client.end().catch(() => undefined);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

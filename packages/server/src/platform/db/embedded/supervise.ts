import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attached, attach } from './attach.ts';
import { errorCode, reasonOf } from './error.ts';
import { leaveUsers } from './lock-connection.ts';
import { socketPath } from './postmaster-file.ts';
import type { Site } from './site.ts';
import { removeSocketFolder } from './socket-folder.ts';
import { stopPostmaster } from './stop.ts';

const LONGEST_PAUSE_MS = 1000;
const LOOK_MS = 1000;

interface Supervision {
  /** Ends the watch, then the database when nobody else uses it. */
  close(): Promise<void>;
}

/** Brings keeper, locks and, when it is gone, PostgreSQL itself back, until closed. */
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
      // With the socket lost it still stands, but nobody else could connect any more: attach restarts the database then.
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
    if (current) await depart(site, current);
  }
  return {
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Undefined when closed meanwhile. */
async function reattach(site: Site): Promise<Attached | undefined> {
  let known = '';
  for (let pause = 25; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
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
    await sleep(pause, undefined, { signal: site.signal }).catch(() => undefined);
  }
}

/** Settles when the socket is no longer there, such as when somebody tidied up the folder for temporary files. */
async function lostSocket({ postmaster }: Attached, signal: AbortSignal): Promise<void> {
  const path = socketPath(postmaster.socketFolder);
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    const code = await stat(path).then(() => undefined, errorCode);
    if (code === 'ENOENT') return;
  }
}

async function depart(site: Site, { lockConnection, postmaster, cluster }: Attached): Promise<void> {
  // A keeper that just lost its connection leaves nothing to stop: a later start finds and adopts whatever runs.
  const last = await leaveUsers(lockConnection).catch(() => false);
  if (last) {
    // The exclusive lock stays ours until the connection goes down with the database, so nobody joins in between.
    if (await stopPostmaster(postmaster.pid, cluster)) await removeSocketFolder(postmaster.socketFolder);
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

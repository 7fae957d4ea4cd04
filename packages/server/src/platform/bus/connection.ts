import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, connectTimeoutOf, type DatabaseAddress, isPooled, mayPrepare, waitFor } from '../db/connect.ts';
import { servingName } from '../db/server-state.ts';
import type { Logger } from '../log.ts';
import type { BusEvent } from './event.ts';
import { FIND_START, LIST_SINCE, LISTEN, NOTIFY } from './queries.ts';

/**
 * `askedAt` is when the question was sent, by the monotonic clock: the answer holds all that was committed by then. No
 * events at all: the database has lost transactions (a failover), so anything may have changed.
 */
type SyncListener = (askedAt: number, events: readonly BusEvent[] | undefined) => Promise<void>;

export interface BusConnection {
  onSync(listener: SyncListener): void;
  wakeOthers(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface BusOptions {
  onSilenceOver?: () => void;
  /** What others shall know of this process, in few characters: see `listServing`. */
  mark?: string;
}

const POLL_EVERY = 1_000;
const QUERY_TIMEOUT = 3_000;

/**
 * A connection of its own, so that a busy pool never delays it. NOTIFY brings changes in milliseconds; the poll brings them
 * in a second when NOTIFY is lost. Behind a pooler, which has no connection to listen on, the poll is all. A lost connection is made anew.
 * It asks so often that nobody learns sooner of a way to the database that was silent, and is open again: `onSilenceOver`.
 */
export function openBusConnection(
  address: DatabaseAddress,
  log: Logger,
  { onSilenceOver = () => {}, mark = '' }: BusOptions = {},
): BusConnection {
  const listens = !isPooled(address);
  const timeoutMs = waitFor(address, QUERY_TIMEOUT);
  const named = mayPrepare(address) ? { name: 'bus' } : {};
  let listener: SyncListener = async () => {};
  let client: pg.Client | undefined;
  let snapshot: string | undefined;
  let stopped = false;
  // Told while a look is under way, it must look once more: that one may have begun too early.
  let told = false;
  let rouse = () => {};
  const wakeUp = (): void => {
    told = true;
    rouse();
  };
  let wakeRunning = false;
  let wakeWanted = false;

  const connect = async (): Promise<pg.Client> => {
    const fresh = new pg.Client({
      ...clientConfig(address, servingName(mark)),
      query_timeout: timeoutMs,
      connectionTimeoutMillis: connectTimeoutOf(address, QUERY_TIMEOUT),
    });
    fresh.on('error', () => drop(fresh));
    fresh.on('notification', () => wakeUp());
    try {
      await fresh.connect();
      if (listens) await fresh.query(LISTEN);
    } catch (error) {
      fresh.end().catch(() => {});
      throw error;
    }
    client = fresh;
    return fresh;
  };

  const drop = (broken: pg.Client | undefined): void => {
    if (client === broken) client = undefined;
    broken?.end().catch(() => {});
    wakeUp();
  };

  const sync = async (): Promise<void> => {
    const current = client ?? (await connect());
    const askedAt = performance.now();
    if (snapshot === undefined) {
      const { rows } = await current.query(FIND_START);
      snapshot = rows[0].snapshot as string;
      return listener(askedAt, []);
    }
    const { rows } = await current.query({ ...named, text: LIST_SINCE, values: [snapshot] });
    const news = rows[0] as { snapshot: string; rewound: boolean; events: BusEvent[] };
    snapshot = news.snapshot;
    await listener(askedAt, news.rewound ? undefined : news.events);
  };

  let failures = 0;
  let silent = false;
  const syncOrDrop = async (): Promise<void> => {
    const askedAt = performance.now();
    try {
      await sync();
      if (silent) onSilenceOver();
      silent = false;
      if (failures > 0) log.info({}, 'the bus is connected again');
      failures = 0;
    } catch (error) {
      failures++;
      // It ended by our patience, not by anybody's word. Timers may be early by a moment.
      if (performance.now() - askedAt > 0.9 * timeoutMs) silent = true;
      if (failures === 1 && !stopped) log.warn({ err: error }, 'the bus lost the database; trying again');
      drop(client);
    }
  };

  let loop: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    while (!stopped) {
      if (!told) await rest();
      told = false;
      if (stopped) break;
      // A wake-up by a drop must not turn the loop into a spin.
      if (failures > 0) await sleep(Math.min(25 * failures, 250));
      await syncOrDrop();
    }
  };

  const rest = async (): Promise<void> => {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      rouse = resolve;
    });
    const pause = failures === 0 ? POLL_EVERY : Math.min(50 * 2 ** failures, POLL_EVERY);
    await Promise.race([sleep(pause, undefined, { signal: timer.signal }).catch(() => {}), woken]);
    timer.abort();
  };

  const notify = async (): Promise<void> => {
    wakeRunning = true;
    while (wakeWanted) {
      wakeWanted = false;
      await client?.query(NOTIFY).catch(() => {});
    }
    wakeRunning = false;
  };

  return {
    onSync(next) {
      listener = next;
    },
    wakeOthers() {
      if (!listens) return;
      wakeWanted = true;
      if (!wakeRunning) void notify();
    },
    async start() {
      await sync();
      loop = run();
    },
    async stop() {
      stopped = true;
      wakeUp();
      await loop;
      await client?.end().catch(() => {});
    },
  };
}

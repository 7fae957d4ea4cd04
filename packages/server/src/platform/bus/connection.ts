import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, connectTimeoutOf, type DatabaseAddress, isPooled, mayPrepare, waitFor } from '../db/connect.ts';
import { servingName } from '../db/server-state.ts';
import type { Logger } from '../log.ts';
import type { BusEvent } from './event.ts';
import { FIND_START, LIST_SINCE, LISTEN, NOTIFY } from './queries.ts';

/**
 * `askedAt` is the monotonic time at which the query was sent: its result contains everything committed by then.
 * `events` is undefined if the database lost transactions (a failover), so that anything may have changed.
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
  /** A short text about this process for others to read: see `listServing`. */
  mark?: string;
}

const POLL_INTERVAL_MS = 1_000;
const QUERY_TIMEOUT_MS = 3_000;

/**
 * Uses a connection outside of the pool, so that a busy pool never delays it. NOTIFY delivers changes within
 * milliseconds, the poll within a second if a NOTIFY is lost. Behind a pooler, where LISTEN does not work, only the
 * poll is used. A lost connection is replaced. Because of the frequent poll, this is the first place to notice that a
 * database which did not respond is reachable again: `onSilenceOver`.
 */
export function openBusConnection(
  address: DatabaseAddress,
  log: Logger,
  { onSilenceOver = () => {}, mark = '' }: BusOptions = {},
): BusConnection {
  const listens = !isPooled(address);
  const timeoutMs = waitFor(address, QUERY_TIMEOUT_MS);
  const named = mayPrepare(address) ? { name: 'bus' } : {};
  let listener: SyncListener = async () => {};
  let client: pg.Client | undefined;
  let snapshot: string | undefined;
  let stopped = false;
  // Set by a wake-up during a sync: that sync may have started too early, so another must follow.
  let syncWanted = false;
  let interruptRest = () => {};
  const wakeUp = (): void => {
    syncWanted = true;
    interruptRest();
  };
  let wakeRunning = false;
  let wakeWanted = false;

  const connect = async (): Promise<pg.Client> => {
    const fresh = new pg.Client({
      ...clientConfig(address, servingName(mark)),
      query_timeout: timeoutMs,
      connectionTimeoutMillis: connectTimeoutOf(address, QUERY_TIMEOUT_MS),
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
      // The query ended by our timeout, not by an error of the server. Timers may fire slightly early.
      if (performance.now() - askedAt > 0.9 * timeoutMs) silent = true;
      if (failures === 1 && !stopped) log.warn({ err: error }, 'the bus lost the database; trying again');
      drop(client);
    }
  };

  let loop: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    while (!stopped) {
      if (!syncWanted) await rest();
      syncWanted = false;
      if (stopped) break;
      // Dropping a client wakes the loop: without this delay it would spin.
      if (failures > 0) await sleep(Math.min(25 * failures, 250));
      await syncOrDrop();
    }
  };

  const rest = async (): Promise<void> => {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      interruptRest = resolve;
    });
    const pause = failures === 0 ? POLL_INTERVAL_MS : Math.min(50 * 2 ** failures, POLL_INTERVAL_MS);
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

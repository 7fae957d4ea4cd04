import { systemClock } from '../clock.ts';
import type { Tx } from '../db/connect.ts';
import { afterCommit } from '../db/transact.ts';
import type { Logger } from '../log.ts';
import type { BusConnection } from './connection.ts';
import type { BusEvent, Topic } from './event.ts';
import { insertBusEvents } from './queries.ts';

/** `undefined`: anything may have changed, so everything cached must be dropped. */
type Subscriber = (key: string | undefined) => void | Promise<void>;

export interface Bus {
  subscribe(topic: Topic, subscriber: Subscriber): void;
  /** Writes the events in the transaction. After the commit, this process gets them at once, others shortly after. */
  announce(tx: Tx, now: Date, events: readonly BusEvent[]): Promise<void>;
  /** Delivers events of a change whose own statement has written the bus rows. */
  deliver(events: readonly BusEvent[]): Promise<void>;
  /** False if a change may have been missed: cached values must not be used then. */
  isFresh(): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The other workers of the service. They share a port, so a response waits until all know of a change. */
export interface Siblings {
  /** Resolves when all events published from now on are received here. */
  join(): Promise<void>;
  /** Resolves when all siblings have handled the events, or after a timeout: siblings also poll the database. */
  publish(events: readonly BusEvent[]): Promise<void>;
  onEvents(listener: (events: readonly BusEvent[]) => Promise<void>): void;
}

/**
 * docs/reference/sessions.md#revocation: a change must be seen everywhere within 5 seconds; querying takes part of it.
 */
const FRESH_FOR_MS = 4_000;
/** After this time the bus rows that this process missed may have been deleted. */
const FORGET_AFTER_MS = 300_000;

export function createBus(connection: BusConnection, log: Logger, siblings?: Siblings): Bus {
  const subscribers = new Map<Topic, Subscriber[]>();
  let syncedAt = Number.NEGATIVE_INFINITY;
  // Wall-clock time, because the monotonic clock may stop while the machine sleeps.
  let syncedTime: number | undefined;

  const dispatch = async (topic: Topic, key: string | undefined): Promise<void> => {
    for (const subscriber of subscribers.get(topic) ?? []) {
      try {
        await subscriber(key);
      } catch (error) {
        log.error({ err: error, topic }, 'a bus subscriber failed');
      }
    }
  };

  const dispatchAll = async (events: readonly BusEvent[]): Promise<void> => {
    for (const event of events) await dispatch(event.topic, event.key);
  };

  connection.onSync(async (askedAt, events) => {
    const time = systemClock.now().getTime();
    const missed = events === undefined || (syncedTime !== undefined && Math.abs(time - syncedTime) > FORGET_AFTER_MS);
    if (missed) for (const topic of subscribers.keys()) await dispatch(topic, undefined);
    await dispatchAll(events ?? []);
    syncedAt = askedAt;
    syncedTime = time;
  });

  siblings?.onEvents(dispatchAll);

  const deliver = async (events: readonly BusEvent[]): Promise<void> => {
    const acknowledged = siblings?.publish(events);
    await dispatchAll(events);
    connection.wakeOthers();
    await acknowledged;
  };

  return {
    subscribe(topic, subscriber) {
      subscribers.set(topic, [...(subscribers.get(topic) ?? []), subscriber]);
    },
    async announce(tx, now, events) {
      if (events.length === 0) return;
      await insertBusEvents(
        tx,
        events.map((event) => ({ ...event, created_at: now })),
      );
      afterCommit(tx, () => deliver(events));
    },
    deliver,
    isFresh: () => performance.now() - syncedAt < FRESH_FOR_MS,
    async start() {
      // Joins before the first sync, so that values cached after it cannot miss a change made by a sibling.
      await siblings?.join();
      await connection.start();
    },
    stop: () => connection.stop(),
  };
}

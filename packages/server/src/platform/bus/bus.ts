import { systemClock } from '../clock.ts';
import type { Tx } from '../db/connect.ts';
import { afterCommit } from '../db/transact.ts';
import type { Logger } from '../log.ts';
import type { BusConnection } from './connection.ts';
import type { BusEvent, Topic } from './event.ts';
import { insertBusEvents } from './queries.ts';

/** `undefined`: anything may have changed, drop all of it. */
type Subscriber = (key: string | undefined) => void | Promise<void>;

export interface Bus {
  subscribe(topic: Topic, subscriber: Subscriber): void;
  /** Written with the change it tells of; delivered here at once and to the others when the transaction holds. */
  announce(tx: Tx, now: Date, events: readonly BusEvent[]): Promise<void>;
  /** For a change whose own statement has written the bus rows. */
  deliver(events: readonly BusEvent[]): Promise<void>;
  /** False when a change may have been missed: what is in memory must not be trusted then. */
  isFresh(): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Other processes of the same service: behind one port, what one of them has changed must be known to the next. */
export interface Siblings {
  /** Settles when they tell us of everything from here on. */
  join(): Promise<void>;
  /** Settles when all of them have acted on it, or are not worth waiting for any longer: the database tells them too. */
  tell(events: readonly BusEvent[]): Promise<void>;
  onTold(listener: (events: readonly BusEvent[]) => Promise<void>): void;
}

/** The contract allows 5 seconds; a question to the database takes some of it. */
const FRESH_FOR = 4_000;
/** After this long the rows it missed may have been swept. */
const FORGET_AFTER = 300_000;

export function createBus(connection: BusConnection, log: Logger, siblings?: Siblings): Bus {
  const subscribers = new Map<Topic, Subscriber[]>();
  let heardAt = Number.NEGATIVE_INFINITY;
  // By the calendar: the monotonic clock may stand still while the machine sleeps.
  let heardTime: number | undefined;

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
    const missed = events === undefined || (heardTime !== undefined && Math.abs(time - heardTime) > FORGET_AFTER);
    if (missed) for (const topic of subscribers.keys()) await dispatch(topic, undefined);
    await dispatchAll(events ?? []);
    heardAt = askedAt;
    heardTime = time;
  });

  siblings?.onTold(dispatchAll);

  const deliver = async (events: readonly BusEvent[]): Promise<void> => {
    const told = siblings?.tell(events);
    await dispatchAll(events);
    connection.wakeOthers();
    await told;
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
    isFresh: () => performance.now() - heardAt < FRESH_FOR,
    async start() {
      // Before the first look: what is kept in memory after it must not miss a change that a sibling makes.
      await siblings?.join();
      await connection.start();
    },
    stop: () => connection.stop(),
  };
}

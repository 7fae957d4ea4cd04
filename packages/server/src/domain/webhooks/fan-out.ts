import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { tryLock } from '../../platform/db/lock.ts';
import type { Logger } from '../../platform/log.ts';
import { findStream, type Position, type StreamState, updateSent } from '../events/queries.ts';
import { deletePassedSpans, findOldestSpan, insertDeliveries, matchEvents } from './deliveries/queries.ts';

const BATCH = 500;
/** Higher than every transaction id. */
const NO_TRANSACTION = '18446744073709551615';

/**
 * Inserts the deliveries of the next audit rows and moves the position in the same transaction: none is lost or
 * inserted twice, whenever a process dies. Only rows of ended transactions are taken, so that a row that commits late
 * is not missed.
 */
async function insertNext(tx: Tx, state: StreamState, now: Date, limit: number): Promise<Inserted> {
  const oldest = await findOldestSpan(tx);
  if (oldest === null) return NOTHING;
  const sent: Position = { xid: state.sent_xid, id: state.sent_id };
  // Rows from before the first webhook are skipped.
  const from = BigInt(oldest) > BigInt(sent.xid) ? { xid: oldest, id: 0 } : sent;
  const { events, last, rows } = await matchEvents(tx, from, state, limit);
  const created_at = now;
  const deliveries = events.map((event) => ({ ...event, id: uuid(), created_at }));
  if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
  if (last) await updateSent(tx, last);
  const isEnd = rows < limit;
  await deletePassedSpans(tx, isEnd ? state.settled : (last?.xid ?? sent.xid));
  return { count: deliveries.length, isMore: !isEnd };
}

interface Inserted {
  /** The number of deliveries. */
  readonly count: number;
  /** Whether there may be more rows. */
  readonly isMore: boolean;
}

const NOTHING: Inserted = { count: 0, isMore: false };

/** Inserts the deliveries of all rows of a restored database: their transactions have all ended. */
export async function insertRemaining(tx: Tx, before: StreamState, now: Date): Promise<void> {
  let state = { ...before, settled: NO_TRANSACTION };
  while ((await insertNext(tx, state, now, BATCH)).isMore) {
    const { sent_xid, sent_id } = await findStream(tx);
    state = { ...state, sent_xid, sent_id };
  }
}

interface FanOutDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after deliveries were inserted. */
  readonly wake: () => void;
  readonly rowsPerBatch?: number;
}

export interface FanOut {
  start(): void;
  stop(): Promise<void>;
  /** Inserts the deliveries of all rows whose transactions have ended, unless another process is doing so. */
  catchUp(): Promise<void>;
}

const POLL_INTERVAL_MS = 1_000;

/**
 * Follows the audit trail by polling, so that requests write nothing more than their audit row. One process at a time
 * works, under a lock that ends with its transaction: if the process dies, another continues within a second.
 */
export function createFanOut({ db, clock, log, wake, rowsPerBatch = BATCH }: FanOutDeps): FanOut {
  const abort = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  let isFailing = false;

  const insertBatch = (): Promise<Inserted> =>
    db.transaction().execute(async (tx) => {
      if (!(await tryLock(tx, 'webhook fan-out'))) return NOTHING;
      const state = await findStream(tx);
      return state.place === null ? NOTHING : insertNext(tx, state, clock.now(), rowsPerBatch);
    });

  const catchUp = async (): Promise<void> => {
    // A service without webhooks sends only this query, once a second.
    if ((await findOldestSpan(db)) === null) return;
    for (let isMore = true; isMore && !abort.signal.aborted; ) {
      const inserted = await insertBatch();
      // Without new deliveries, the queue finds those that are due by polling.
      if (inserted.count > 0) wake();
      isMore = inserted.isMore;
    }
  };

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await catchUp();
        if (isFailing) log.info('the deliveries of webhooks are inserted again');
        isFailing = false;
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'the deliveries of webhooks could not be inserted; trying again');
        isFailing = true;
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal: abort.signal, ref: false }).catch(() => {});
    }
  };

  return {
    start() {
      loop = run();
    },
    async stop() {
      abort.abort();
      await loop;
    },
    catchUp,
  };
}

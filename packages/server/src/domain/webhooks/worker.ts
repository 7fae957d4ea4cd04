import { LIMITS } from '@gatehouse/contract';
import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { createQueue, type FailedAttempt, type Observe, type Outcome, type Queue } from '../../platform/queue/queue.ts';
import type { Deps } from '../context.ts';
import { attemptDelivery, SECRET_UNREADABLE } from './attempt.ts';
import { type ClaimedDelivery, claimDeliveries, updateDelivered, updateUndelivered } from './deliveries/queries.ts';
import { disableFailing } from './disable.ts';
import { lockWebhook, updateFailing, updateWorking, type WebhookRow } from './queries.ts';

/** In seconds, from the end of each attempt. */
export const RETRY_DELAYS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const SPREAD = 0.1;
/** A claim visits every webhook with pending deliveries. With this pause, claims of up to 25 ms use 5 % of the time. */
const CLAIM_PAUSE_FACTOR = 19;
/** Longer than any attempt, so that no other worker repeats one that is running. */
const LEASE_SECONDS = LIMITS.webhook.deliveryTimeout + 15;
/** The maximum number of concurrent attempts per webhook, by the result of its last attempt. */
const PER_WEBHOOK = { working: 8, failing: 1 };
const SLOW = { afterMs: 500, maxCount: 1_024 };
const GONE = 410;

interface WebhookWorkerDeps extends Pick<Deps, 'db' | 'clock' | 'log' | 'keyring' | 'config' | 'mail' | 'limiter'> {
  readonly observe?: Observe;
}

interface Running extends ClaimedDelivery {
  isSlow: boolean;
  last_status: number | null;
}

/**
 * Sends the deliveries of webhooks. Webhooks whose last attempt failed have a lane of their own, and a slow attempt
 * does not count for its lane: receivers that hang do not delay the others.
 */
export function createWebhookWorker(deps: WebhookWorkerDeps): Queue {
  const { db, clock, log, observe } = deps;
  const running = new Set<Running>();

  /** Counts running attempts by webhook. A slow one counts as the maximum: its webhook gets no further attempt. */
  const countRunning = (): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { webhook_id, isSlow } of running) {
      counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + (isSlow ? PER_WEBHOOK.working : 1));
    }
    return counts;
  };

  const attempt = async (delivery: Running): Promise<Outcome> => {
    const timer = setTimeout(() => {
      delivery.isSlow = true;
    }, SLOW.afterMs).unref();
    const { status, error } = await attemptDelivery(deps, delivery).finally(() => clearTimeout(timer));
    delivery.last_status = status;
    if (error === SECRET_UNREADABLE) return { result: 'wait', reason: error };
    return error === null ? { result: 'done' } : { result: 'retry', reason: error };
  };

  /** Writes the result of an attempt and its effect on the webhook together. Lock order: webhooks, deliveries. */
  const record = (delivery: Running, write: (tx: Tx) => Promise<unknown>): Promise<unknown> =>
    transact(db, write).finally(() => running.delete(delivery));

  type Failure = FailedAttempt & { message: Running; now: Date; next_attempt_at: Date | null; counted: boolean };
  const recordFailure = ({ message, ...failure }: Failure): Promise<unknown> =>
    record(message, async (tx) => {
      const { webhook_id, last_status } = message;
      const webhook = await lockWebhook(tx, webhook_id);
      const isCurrent = await updateUndelivered(tx, { ...failure, last_status });
      if (failure.counted && isCurrent && webhook?.enabled)
        await noteFailure(tx, deps, webhook, last_status, failure.now);
    });

  return createQueue<Running, 'working' | 'failing'>({
    name: 'webhook',
    clock,
    log,
    store: {
      async claim(claim) {
        const rows = await claimDeliveries(db, { ...claim, running: countRunning(), perWebhook: PER_WEBHOOK });
        const claimed = rows.map((row) => ({ ...row, isSlow: false, last_status: null }));
        for (const delivery of claimed) running.add(delivery);
        return claimed;
      },
      finish: ({ id, now, message }) =>
        record(message, async (tx) => {
          await updateWorking(tx, message.webhook_id);
          await updateDelivered(tx, { id, now, last_status: message.last_status });
        }),
      retry: recordFailure,
      fail: (failure) => recordFailure({ ...failure, next_attempt_at: null, counted: true }),
      // Deliveries do not expire: the sweeper deletes them after 30 days.
      expire: async () => 0,
    },
    lanes: {
      working: { concurrency: 32, slow: SLOW },
      failing: { concurrency: 16, slow: SLOW },
    },
    laneOf: ({ failing }) => (failing ? 'failing' : 'working'),
    leaseSeconds: LEASE_SECONDS,
    retryDelays: RETRY_DELAYS,
    spread: SPREAD,
    claimPauseFactor: CLAIM_PAUSE_FACTOR,
    attempt,
    observe,
  });
}

/** Disables the webhook if its receiver is gone (410), or has failed for five days. */
async function noteFailure(
  tx: Tx,
  deps: WebhookWorkerDeps,
  webhook: WebhookRow,
  status: number | null,
  now: Date,
): Promise<void> {
  const { failing_since } = webhook;
  if (failing_since === null) await updateFailing(tx, webhook.id, now);
  if (status === GONE) await disableFailing(tx, deps, webhook, { reason: 'gone', now });
  else if (failing_since !== null && now >= after(failing_since, LIMITS.webhook.failing)) {
    await disableFailing(tx, deps, webhook, { reason: 'failing', now });
  }
}

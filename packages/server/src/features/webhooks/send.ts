import type { WebhookDelivery } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError, tooMany } from '../../domain/kernel/service-error.ts';
import { TEST_EVENT } from '../../domain/webhooks/attempt.ts';
import { findDelivery, insertDeliveries, updateRetriedNow } from '../../domain/webhooks/deliveries/queries.ts';
import { findWebhookForUpdate, type WebhookRow } from '../../domain/webhooks/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { afterCommit } from '../../platform/db/transact.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { isOver, updateCounters } from '../../platform/limiter/queries.ts';
import { describeDelivery, noSuchWebhook } from './describe.ts';
import type { Scope } from './scope.ts';

/** Locks the webhook. Lock order: webhooks, deliveries. */
async function lockExisting(tx: Tx, { organization_id }: Scope, id: string): Promise<WebhookRow> {
  const webhook = await findWebhookForUpdate(tx, { id, organization_id });
  if (!webhook || webhook.deleted_at !== null) throw noSuchWebhook();
  return webhook;
}

function requireEnabled({ enabled }: WebhookRow): void {
  if (!enabled) throw new ServiceError('conflict', 'the webhook is disabled; enable it first');
}

/** Counted in the transaction that makes a delivery due, so that a rejected request does not count. */
async function countSend(tx: Tx, { limiter, config }: Deps, id: string, now: Date): Promise<void> {
  const counter = limiter.counter('webhook sends', id, config.LIMIT_WEBHOOK_SENDS);
  const [count] = await updateCounters(tx, [counter], now);
  if (count && isOver([counter], count)) throw tooMany(secondsUntil(count.resets_at, now));
}

/** POST …/:id/test: → 202. The test event is no audit row, and is sent whatever event patterns the webhook has. */
export function sendTestEvent(deps: Deps, caller: Caller, scope: Scope, id: string): Promise<WebhookDelivery> {
  const now = deps.clock.now();
  const delivery_id = uuid();
  return transactAs({ deps, caller }, {}, async (tx) => {
    requireEnabled(await lockExisting(tx, scope, id));
    await countSend(tx, deps, id, now);
    await insertDeliveries(tx, [
      {
        id: delivery_id,
        webhook_id: id,
        event_id: uuid(),
        audit_id: null,
        event_at: now,
        type: TEST_EVENT,
        created_at: now,
      },
    ]);
    afterCommit(tx, deps.webhooks.wake);
    return describeDelivery(await findDelivery(tx, delivery_id));
  });
}

/** POST …/retry: → 202. Sends a delivery even if it was delivered before. A failure restarts the retry schedule. */
export function retryDelivery(
  deps: Deps,
  caller: Caller,
  scope: Scope,
  { id, delivery_id }: { id: string; delivery_id: string },
): Promise<WebhookDelivery> {
  const now = deps.clock.now();
  return transactAs({ deps, caller }, {}, async (tx) => {
    const webhook = await lockExisting(tx, scope, id);
    const row = await updateRetriedNow(tx, { id: delivery_id, webhook_id: id, now });
    if (!row) throw new ServiceError('not_found', 'there is no such delivery');
    requireEnabled(webhook);
    await countSend(tx, deps, id, now);
    afterCommit(tx, deps.webhooks.wake);
    return describeDelivery(row);
  });
}

import type { Webhook, WebhookChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { aboutWebhook, webhookScope } from '../../domain/webhooks/disable.ts';
import {
  closeSpan,
  findWebhookForUpdate,
  listWebhooks,
  openSpan,
  updateWebhook,
  type WebhookRow,
} from '../../domain/webhooks/queries.ts';
import { afterCommit } from '../../platform/db/transact.ts';
import { describeWebhook, noSuchWebhook } from './describe.ts';
import type { Scope } from './scope.ts';
import { checkedUrl } from './url.ts';

/**
 * PATCH …/:id. Once it is enabled, a webhook collects new events, and its pending deliveries are sent. While it is
 * disabled, it collects none, and its pending deliveries wait.
 */
export function changeWebhook(
  deps: Deps,
  caller: Caller,
  scope: Scope,
  { id, ...change }: WebhookChange & { id: string },
): Promise<Webhook> {
  const now = deps.clock.now();
  const { organization_id } = scope;
  const url = change.url === undefined ? undefined : checkedUrl(deps, change.url);
  return transactAs({ deps, caller }, {}, async (tx) => {
    const before = await findWebhookForUpdate(tx, { id, organization_id });
    if (!before || before.deleted_at !== null) throw noSuchWebhook();
    const isEnabled = change.enabled === true && !before.enabled;
    const after: WebhookRow = {
      ...before,
      url: url ?? before.url,
      description: change.description?.trim() ?? before.description,
      events: change.events ?? before.events,
      enabled: change.enabled ?? before.enabled,
      ...(isEnabled && { disabled_reason: null, failing_since: null }),
    };
    const fields = FIELDS.filter((field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]));
    if (fields.length > 0) {
      const { url, description, events, enabled, disabled_reason, failing_since } = after;
      await updateWebhook(tx, { id, url, description, events, enabled, disabled_reason, failing_since });
      const metadata = { scope: webhookScope(before), fields };
      await recordAudit(tx, caller, { action: 'webhook.updated', now, ...aboutWebhook(before), metadata });
      if (isEnabled) {
        await openSpan(tx, id);
        afterCommit(tx, deps.webhooks.wake);
      } else if (!after.enabled && before.enabled) await closeSpan(tx, id);
    }
    const [listed] = await listWebhooks(tx, { organization_id, id });
    return describeWebhook(listed ?? after);
  });
}

const FIELDS = ['url', 'description', 'events', 'enabled'] as const;

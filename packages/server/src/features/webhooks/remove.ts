import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { updateDeletedFailed } from '../../domain/webhooks/deliveries/queries.ts';
import { aboutWebhook, webhookScope } from '../../domain/webhooks/disable.ts';
import { deleteWebhook, findWebhookForUpdate } from '../../domain/webhooks/queries.ts';
import { noSuchWebhook } from './describe.ts';
import type { Scope } from './scope.ts';

/** Pending deliveries that the request itself ends; the sweeper ends the others. */
const MAX_ENDED = 1_000;

/** DELETE …/:id: 204 also for a deleted webhook, 404 for an unknown id. */
export async function removeWebhook(deps: Deps, caller: Caller, scope: Scope, id: string): Promise<void> {
  const now = deps.clock.now();
  await transactAs({ deps, caller }, {}, async (tx) => {
    const webhook = await findWebhookForUpdate(tx, { id, organization_id: scope.organization_id });
    if (!webhook) throw noSuchWebhook();
    if (webhook.deleted_at !== null) return;
    await deleteWebhook(tx, id, now);
    await updateDeletedFailed(tx, MAX_ENDED, id);
    const metadata = { scope: webhookScope(webhook) };
    await recordAudit(tx, caller, { action: 'webhook.deleted', now, ...aboutWebhook(webhook), metadata });
  });
}

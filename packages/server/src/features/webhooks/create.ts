import { LIMITS, type NewWebhook, type WebhookWithSecret } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { aboutWebhook, webhookScope } from '../../domain/webhooks/disable.ts';
import { countWebhooks, insertSecret, insertWebhook, lockWebhooks, openSpan } from '../../domain/webhooks/queries.ts';
import { newWebhookSecret } from '../../domain/webhooks/secret.ts';
import { seal } from '../../platform/crypto/seal.ts';
import { describeWebhook } from './describe.ts';
import type { Scope } from './scope.ts';
import { checkedUrl } from './url.ts';

/** POST /orgs/:org_id/webhooks, POST /admin/webhooks: → 201 webhook with its secret, which is not shown again. */
export function createWebhook(deps: Deps, caller: Caller, scope: Scope, input: NewWebhook): Promise<WebhookWithSecret> {
  const now = deps.clock.now();
  const { organization_id } = scope;
  const row = {
    id: uuid(),
    organization_id,
    url: checkedUrl(deps, input.url),
    description: input.description?.trim() ?? '',
    events: input.events ?? ['*'],
    enabled: input.enabled ?? true,
    disabled_reason: null,
    failing_since: null,
    created_by: actorOf(scope.principal).actor_id,
    created_at: now,
    deleted_at: null,
  };
  const secret = newWebhookSecret();
  const secret_id = uuid();
  const sealed_secret = seal(deps.keyring, { purpose: 'webhook', row: secret_id }, secret);

  return transactAs({ deps, caller }, { locks: (tx) => lockWebhooks(tx, scope) }, async (tx) => {
    if ((await countWebhooks(tx, scope)) >= LIMITS.webhook.perOwner) {
      throw new ServiceError('conflict', `there are ${LIMITS.webhook.perOwner} webhooks, which is the maximum`);
    }
    await insertWebhook(tx, row);
    await insertSecret(tx, { id: secret_id, webhook_id: row.id, sealed_secret, created_at: now }, now);
    const metadata = { scope: webhookScope(row), events: row.events };
    await recordAudit(tx, caller, { action: 'webhook.created', now, ...aboutWebhook(row), metadata });
    if (row.enabled) await openSpan(tx, row.id);
    return { ...describeWebhook(row), secret };
  });
}

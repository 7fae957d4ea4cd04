import { LIMITS, type WebhookWithSecret } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { aboutWebhook, webhookScope } from '../../domain/webhooks/disable.ts';
import { findWebhookForUpdate, insertSecret, listWebhooks } from '../../domain/webhooks/queries.ts';
import { newWebhookSecret } from '../../domain/webhooks/secret.ts';
import { after } from '../../platform/clock.ts';
import { seal } from '../../platform/crypto/seal.ts';
import { describeWebhook, noSuchWebhook } from './describe.ts';
import type { Scope } from './scope.ts';

/** POST …/:id/rotate-secret: → 200 with the new secret. For a day, the previous secret signs deliveries too. */
export function rotateSecret(deps: Deps, caller: Caller, scope: Scope, id: string): Promise<WebhookWithSecret> {
  const now = deps.clock.now();
  const { organization_id } = scope;
  const secret = newWebhookSecret();
  const secret_id = uuid();
  const sealed_secret = seal(deps.keyring, { purpose: 'webhook', row: secret_id }, secret);

  return transactAs({ deps, caller }, {}, async (tx) => {
    const webhook = await findWebhookForUpdate(tx, { id, organization_id });
    if (!webhook || webhook.deleted_at !== null) throw noSuchWebhook();
    const overlap = after(now, LIMITS.webhook.secretOverlap);
    await insertSecret(tx, { id: secret_id, webhook_id: id, sealed_secret, created_at: now }, overlap);
    const metadata = { scope: webhookScope(webhook) };
    await recordAudit(tx, caller, { action: 'webhook.secret_rotated', now, ...aboutWebhook(webhook), metadata });
    const [listed] = await listWebhooks(tx, { organization_id, id });
    return { ...describeWebhook(listed ?? webhook), secret };
  });
}

import type { DeliveryPage, DeliveryQuery, Webhook, WebhookList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countDeliveries, listDeliveries } from '../../domain/webhooks/deliveries/queries.ts';
import { listWebhooks } from '../../domain/webhooks/queries.ts';
import type { Paging } from '../../http/page-query.ts';
import { describeDelivery, describeWebhook, noSuchWebhook } from './describe.ts';
import type { Scope } from './scope.ts';

/** GET /orgs/:org_id/webhooks, GET /admin/webhooks: oldest first. */
export async function listAllWebhooks({ db }: Deps, { organization_id }: Scope): Promise<WebhookList> {
  return { items: (await listWebhooks(db, { organization_id })).map(describeWebhook) };
}

export async function readWebhook({ db }: Deps, { organization_id }: Scope, id: string): Promise<Webhook> {
  const [row] = await listWebhooks(db, { organization_id, id });
  if (!row) throw noSuchWebhook();
  return describeWebhook(row);
}

/** GET …/:id/deliveries: newest first. */
export async function listWebhookDeliveries(
  deps: Deps,
  scope: Scope,
  { id, status }: { id: string; status: DeliveryQuery['status'] },
  { offset, page, page_size }: Paging,
): Promise<DeliveryPage> {
  const webhook = await readWebhook(deps, scope, id);
  const search = { webhook_id: webhook.id, status };
  const [rows, total] = await Promise.all([
    listDeliveries(deps.db, { ...search, offset, limit: page_size }),
    countDeliveries(deps.db, search),
  ]);
  return { items: rows.map(describeDelivery), total, page, page_size };
}

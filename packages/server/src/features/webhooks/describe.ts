import type { Webhook, WebhookDelivery } from '@gatehouse/contract';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { DeliveryRow } from '../../domain/webhooks/deliveries/queries.ts';
import type { ListedWebhook, WebhookRow } from '../../domain/webhooks/queries.ts';

export const describeWebhook = (row: WebhookRow & Partial<ListedWebhook>): Webhook => ({
  id: row.id,
  url: row.url,
  description: row.description,
  events: row.events,
  enabled: row.enabled,
  created_at: row.created_at.toISOString(),
  disabled_reason: row.disabled_reason,
  last_delivery:
    row.last_delivery_status && row.last_delivery_at
      ? {
          status: row.last_delivery_status,
          last_status: row.last_status ?? null,
          at: row.last_delivery_at.toISOString(),
        }
      : null,
});

export const describeDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  event_id: row.event_id,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  last_status: row.last_status,
  last_error: row.last_error,
  next_attempt_at: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
  created_at: row.created_at.toISOString(),
  delivered_at: row.delivered_at?.toISOString() ?? null,
});

export const noSuchWebhook = () => new ServiceError('not_found', 'there is no such webhook');

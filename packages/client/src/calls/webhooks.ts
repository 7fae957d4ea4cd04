import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  DeliveryPage,
  DeliveryQuery,
  EventPage,
  EventQuery,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookList,
  WebhookWithSecret,
} from '../wire.ts';

/** Calls for the organization of the session. Require an admin or owner. */
export const webhookCalls = (call: Call) => ({
  /** Returns the webhooks of the organization, oldest first. */
  list: (organization_id: string) => call<WebhookList>('GET', path`/orgs/${organization_id}/webhooks`),
  /** Returns one webhook. */
  read: (organization_id: string, id: string) => call<Webhook>('GET', path`/orgs/${organization_id}/webhooks/${id}`),
  /** Creates a webhook. Only this response contains its secret. Requires a recent sign-in. */
  create: (organization_id: string, body: NewWebhook) =>
    call<WebhookWithSecret>('POST', path`/orgs/${organization_id}/webhooks`, { body }),
  /** Changes a webhook. Fields that are left out stay as they are; `enabled: true` resumes pending deliveries. */
  change: (organization_id: string, id: string, body: WebhookChange) =>
    call<Webhook>('PATCH', path`/orgs/${organization_id}/webhooks/${id}`, { body }),
  /** Deletes a webhook. No further events are sent to it. */
  remove: (organization_id: string, id: string) => call<void>('DELETE', path`/orgs/${organization_id}/webhooks/${id}`),
  /** Creates a new secret. For 24 hours, deliveries are also signed with the old one. Requires a recent sign-in. */
  rotateSecret: (organization_id: string, id: string) =>
    call<WebhookWithSecret>('POST', path`/orgs/${organization_id}/webhooks/${id}/rotate-secret`),
  /** Sends a `webhook.test` event, regardless of the patterns. Fails with `conflict` if the webhook is disabled. */
  test: (organization_id: string, id: string) =>
    call<WebhookDelivery>('POST', path`/orgs/${organization_id}/webhooks/${id}/test`),
  /** Returns the deliveries of the last 30 days, newest first. */
  deliveries: (organization_id: string, id: string, query: DeliveryQuery = {}) =>
    call<DeliveryPage>('GET', path`/orgs/${organization_id}/webhooks/${id}/deliveries`, { query }),
  /** Sends a delivery again, even if it was delivered. Fails with `conflict` if the webhook is disabled. */
  retry: (organization_id: string, id: string, delivery_id: string) =>
    call<WebhookDelivery>('POST', path`/orgs/${organization_id}/webhooks/${id}/deliveries/${delivery_id}/retry`),
});

/** Calls for the platform's own webhooks. Require a platform admin, and a recent second factor to write. */
export const platformWebhookCalls = (call: Call) => ({
  /** Returns the platform's own webhooks, oldest first, without those of organizations. */
  list: () => call<WebhookList>('GET', '/admin/webhooks'),
  /** Returns one of the platform's own webhooks. */
  read: (id: string) => call<Webhook>('GET', path`/admin/webhooks/${id}`),
  /** Creates a webhook that gets every event of every organization. Only this response contains its secret. */
  create: (body: NewWebhook) => call<WebhookWithSecret>('POST', '/admin/webhooks', { body }),
  /** Changes a webhook. Fields that are left out stay as they are; `enabled: true` resumes pending deliveries. */
  change: (id: string, body: WebhookChange) => call<Webhook>('PATCH', path`/admin/webhooks/${id}`, { body }),
  /** Deletes a webhook. No further events are sent to it. */
  remove: (id: string) => call<void>('DELETE', path`/admin/webhooks/${id}`),
  /** Creates a new secret. For 24 hours, deliveries are also signed with the old one. */
  rotateSecret: (id: string) => call<WebhookWithSecret>('POST', path`/admin/webhooks/${id}/rotate-secret`),
  /** Sends a `webhook.test` event, regardless of the patterns. Fails with `conflict` if the webhook is disabled. */
  test: (id: string) => call<WebhookDelivery>('POST', path`/admin/webhooks/${id}/test`),
  /** Returns the deliveries of the last 30 days, newest first. */
  deliveries: (id: string, query: DeliveryQuery = {}) =>
    call<DeliveryPage>('GET', path`/admin/webhooks/${id}/deliveries`, { query }),
  /** Sends a delivery again, even if it was delivered. Fails with `conflict` if the webhook is disabled. */
  retry: (id: string, delivery_id: string) =>
    call<WebhookDelivery>('POST', path`/admin/webhooks/${id}/deliveries/${delivery_id}/retry`),
});

export const eventCalls = (call: Call) => ({
  /**
   * Returns events of the organization in a fixed order, without gap or repetition. Pass `next` of a page as `after` of
   * the following call, also after an empty page. Requires an admin or owner.
   */
  list: (organization_id: string, query: EventQuery = {}) =>
    call<EventPage>('GET', path`/orgs/${organization_id}/events`, { query }),
});

export const platformEventCalls = (call: Call) => ({
  /** Like `events.list`, with the events of all organizations. Requires a platform role. */
  list: (query: EventQuery = {}) => call<EventPage>('GET', '/admin/events', { query }),
});

import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { PAGE_QUERY, PageOf } from './page.ts';
import { Nullable, Text, Timestamp, Uuid } from './text.ts';

/** `*`, a full action, or a prefix that ends in `.*` and matches any depth. */
export const EventPattern = Type.String({
  format: 'event-pattern',
  minLength: 1,
  maxLength: LIMITS.webhook.pattern,
  examples: ['member.*'],
});

const Patterns = Type.Array(EventPattern, {
  minItems: 1,
  maxItems: LIMITS.webhook.patterns,
  description: 'Which events are sent: `*`, full actions, or prefixes such as `member.*`.',
});

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES]);

const LastStatus = Nullable(
  Type.Integer({ description: 'The HTTP status of the last attempt. Null: no response.', examples: [200] }),
);

/** The newest delivery of a webhook. */
export const LastDelivery = Type.Object({ status: DeliveryStatus, last_status: LastStatus, at: Timestamp });
export type LastDelivery = Static<typeof LastDelivery>;

const WEBHOOK = {
  id: Uuid,
  url: Type.String({ examples: ['https://api.example.com/webhooks'] }),
  description: Type.String(),
  events: Type.Array(Type.String(), { examples: [['*']] }),
  enabled: Type.Boolean({ examples: [true] }),
  created_at: Timestamp,
  disabled_reason: Nullable(
    Type.Enum(['gone', 'failing'], {
      description:
        'Why the service has disabled the webhook. `gone`: the receiver responded with 410. `failing`: attempts have failed for 5 days without a success.',
    }),
  ),
  last_delivery: Type.Union([LastDelivery, Type.Null()]),
} as const;

/** docs/reference/webhooks.md#webhooks */
export const Webhook = Type.Object(WEBHOOK);
export type Webhook = Static<typeof Webhook>;

/** Oldest first. */
export const WebhookList = Type.Object({ items: Type.Array(Webhook) });
export type WebhookList = Static<typeof WebhookList>;

export const WebhookWithSecret = Type.Object({
  ...WEBHOOK,
  secret: Type.String({
    description: 'The secret that signs deliveries. Only this response contains it.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  }),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

const Url = Type.String({
  format: 'text',
  minLength: 1,
  maxLength: LIMITS.webhook.url,
  description: 'The address to which deliveries are sent. In production it must begin with https.',
});

export const NewWebhook = Type.Object(
  {
    url: Url,
    description: Type.Optional(Text(0, LIMITS.webhook.description)),
    events: Type.Optional(Patterns),
    enabled: Type.Optional(Type.Boolean()),
  },
  { examples: [{ url: 'https://api.example.com/webhooks', events: ['member.*'] }] },
);
export type NewWebhook = Static<typeof NewWebhook>;

/** Fields that are left out stay as they are. */
export const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Text(0, LIMITS.webhook.description)),
    events: Type.Optional(Patterns),
    enabled: Type.Optional(Type.Boolean({ description: '`true` also clears `disabled_reason`.' })),
  },
  { examples: [{ enabled: true }] },
);
export type WebhookChange = Static<typeof WebhookChange>;

/** The delivery of one event to one webhook. */
export const WebhookDelivery = Type.Object({
  id: Uuid,
  event_id: Uuid,
  type: Type.String({ examples: ['member.removed'] }),
  status: DeliveryStatus,
  attempts: Type.Integer({ examples: [1] }),
  last_status: LastStatus,
  last_error: Nullable(
    Type.String({
      description: 'Why the last attempt failed. Never contains part of the response.',
      examples: ['timeout'],
    }),
  ),
  next_attempt_at: Nullable(Type.String({ format: 'date-time', description: 'Null: no further attempt follows.' })),
  created_at: Timestamp,
  delivered_at: Nullable(Timestamp),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryPage = PageOf(WebhookDelivery);
export type DeliveryPage = Static<typeof DeliveryPage>;

export const DeliveryQuery = Type.Object({
  status: Type.Optional(Type.Enum([...DELIVERY_STATUSES], { description: 'Only deliveries with this status.' })),
  ...PAGE_QUERY,
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

/** An audit row, without the address and the user agent of its request. The body of a delivery. */
export const ServiceEvent = Type.Object({
  type: Type.String({ description: 'The action of the audit row.', examples: ['member.removed'] }),
  timestamp: Timestamp,
  data: Type.Object({
    event_id: Uuid,
    organization_id: Uuid,
    actor_id: Nullable(Uuid),
    actor_type: Type.String({ examples: ['user'] }),
    resource_type: Type.String({ examples: ['user'] }),
    resource_id: Type.String(),
    outcome: Type.String({ examples: ['success'] }),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  }),
});
export type ServiceEvent = Static<typeof ServiceEvent>;

export const EventPage = Type.Object({
  items: Type.Array(ServiceEvent),
  next: Type.String({ description: 'The cursor to pass as `after` to get the next page, now or later.' }),
});
export type EventPage = Static<typeof EventPage>;

export const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      format: 'token',
      minLength: 1,
      maxLength: 200,
      description: 'The cursor `next` of an earlier page of this stream. Left out: from the oldest event.',
    }),
  ),
  limit: Type.Optional(
    Type.String({
      format: 'integer',
      maxLength: 21,
      description: `1 to ${LIMITS.events.max}; default ${LIMITS.events.default}. Values out of range are clamped.`,
      examples: ['100'],
    }),
  ),
  types: Type.Optional(
    Type.String({
      format: 'event-patterns',
      minLength: 1,
      maxLength: 4096,
      description: `Only events that match one of these patterns, at most ${LIMITS.webhook.patterns}, separated by commas.`,
      examples: ['member.*,role.created'],
    }),
  ),
});
export type EventQuery = Static<typeof EventQuery>;

import type { ColumnType, Generated } from 'kysely';
import type { Fixed } from './column-types.ts';

export interface Webhooks {
  id: Fixed<string>;
  /** Null: one of the platform's own. */
  organization_id: Fixed<string | null>;
  url: string;
  description: string;
  events: string[];
  enabled: boolean;
  disabled_reason: 'gone' | 'failing' | null;
  /** The first failed attempt since the last successful one. */
  failing_since: Date | null;
  created_by: Fixed<string>;
  created_at: Fixed<Date>;
  deleted_at: Date | null;
}

export interface WebhookSecrets {
  id: Fixed<string>;
  webhook_id: Fixed<string>;
  sealed_secret: string;
  created_at: Fixed<Date>;
  /** Null: the current secret. */
  expires_at: Date | null;
}

/** A time in which a webhook is enabled, between two snapshots. */
export interface WebhookSpans {
  webhook_id: Fixed<string>;
  /** The transaction that enabled the webhook. Its own events do not belong to the span. */
  opened_by: ColumnType<string, never, never>;
  since: ColumnType<string, never, never>;
  until: ColumnType<string | null, never, string>;
}

export interface WebhookDeliveries {
  id: Fixed<string>;
  webhook_id: Fixed<string>;
  event_id: Fixed<string>;
  /** Null: a test event. */
  audit_id: Fixed<number | null>;
  event_at: Fixed<Date>;
  type: Fixed<string>;
  status: ColumnType<DeliveryStatus, DeliveryStatus | undefined, DeliveryStatus>;
  attempts: Generated<number>;
  /** Attempts before the last manual retry. */
  attempts_before: Generated<number>;
  last_status: Generated<number | null>;
  last_error: Generated<string | null>;
  last_attempt_at: Generated<Date | null>;
  /** While an attempt is running: the end of its lease. */
  next_attempt_at: Date;
  created_at: Fixed<Date>;
  delivered_at: Generated<Date | null>;
}

type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface EventStream {
  only_one: Generated<boolean>;
  /** Null until the service has determined the order. */
  epoch: string | null;
  place: string | null;
  old_to: number;
  sent_xid: string;
  sent_id: number;
}

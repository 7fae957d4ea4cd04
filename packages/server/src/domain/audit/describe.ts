import type { AuditRow } from '@gatehouse/contract';
import type { AuditRecord } from './queries.ts';

/** §2.3: all fields, in this order. Exports are signed over the JSON of this object, so the order matters. */
export const describeAuditRow = (row: AuditRecord): AuditRow => ({
  id: row.id,
  event_id: row.event_id,
  timestamp: row.timestamp.toISOString(),
  organization_id: row.organization_id,
  actor_id: row.actor_id,
  actor_type: row.actor_type,
  action: row.action,
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  ip_address: row.ip_address,
  user_agent: row.user_agent,
  request_id: row.request_id,
  metadata: row.metadata,
  outcome: row.outcome,
});

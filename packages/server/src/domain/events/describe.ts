import type { ServiceEvent } from '@gatehouse/contract';
import type { EventRecord } from './queries.ts';

/**
 * docs/reference/webhooks.md#events: an audit row without address and user agent. `redacted`: also without the actor.
 */
export const describeEvent = (row: EventRecord, { redacted }: { redacted: boolean }): ServiceEvent => ({
  type: row.action,
  timestamp: row.timestamp.toISOString(),
  data: {
    event_id: row.event_id,
    organization_id: row.organization_id,
    actor_id: redacted && row.visibility !== 'full' ? null : row.actor_id,
    actor_type: row.actor_type,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    outcome: row.outcome,
    metadata: row.metadata,
  },
});

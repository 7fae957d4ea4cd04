/** For the stream of events of one organization. */
export const eventIndexes = {
  version: 21,
  name: 'event-indexes',
  indexes: [
    {
      name: 'audit_events_stream_idx',
      // The condition must stay equal to VISIBLE_TO_ORGANIZATION in domain/audit/queries.ts: a plan test checks it.
      on: `audit_events (organization_id, xid, id)
        where organization_id <> '00000000-0000-0000-0000-000000000000' and coalesce(visibility, case
          when action in ('org.suspended', 'org.restored') then 'redacted'
          when request_id is null or metadata @> '{"reason": "administrator"}' or action in ('org.created', 'org.updated',
            'user.disabled', 'user.enabled', 'user.deleted', 'platform_role.changed', 'mfa.reset', 'feature_flag.updated',
            'feature_flag.deleted', 'integration.updated', 'integration.tested', 'audit.exported') then 'hidden'
          else 'full' end) <> 'hidden'`,
    },
  ],
};

/** For the audit list of one organization, and for the export of the data of one user. */
export const selfServiceIndexes = {
  version: 14,
  name: 'self-service-indexes',
  indexes: [
    {
      name: 'audit_events_organization_idx',
      // The condition must stay equal to VISIBLE_TO_ORGANIZATION in domain/audit/queries.ts: a plan test checks it.
      on: `audit_events (organization_id, id) include ("timestamp", action, actor_id, visibility)
        where organization_id <> '00000000-0000-0000-0000-000000000000' and coalesce(visibility, case
          when action in ('org.suspended', 'org.restored') then 'redacted'
          when request_id is null or metadata @> '{"reason": "administrator"}' or action in ('org.created', 'org.updated',
            'user.disabled', 'user.enabled', 'user.deleted', 'platform_role.changed', 'mfa.reset', 'feature_flag.updated',
            'feature_flag.deleted', 'integration.updated', 'integration.tested', 'audit.exported') then 'hidden'
          else 'full' end) <> 'hidden'`,
    },
    { name: 'sessions_ended_idx', on: 'sessions (user_id, id) where revoked_at is not null' },
    { name: 'invitations_email_idx', on: 'invitations (email)' },
    { name: 'invitations_inviter_idx', on: 'invitations (inviter_id)' },
  ],
};

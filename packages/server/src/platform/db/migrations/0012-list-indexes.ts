/** Indexes for the sort orders of lists and for the filters of the audit trail. */
export const listIndexes = {
  version: 12,
  name: 'list-indexes',
  indexes: [
    { name: 'users_created_idx', on: 'users (created_at, id) include (status)' },
    { name: 'users_by_email_idx', on: 'users (email, id) include (status)' },
    { name: 'organizations_created_idx', on: 'organizations (created_at, id)' },
    { name: 'organizations_by_name_idx', on: 'organizations (lower(name), id)' },
    { name: 'audit_events_tenant_idx', on: 'audit_events (organization_id, id) include ("timestamp")' },
    { name: 'audit_events_resource_idx', on: 'audit_events (resource_id, id) include ("timestamp", resource_type)' },
    { name: 'audit_events_resource_type_idx', on: 'audit_events (resource_type, id) include ("timestamp")' },
    {
      name: 'audit_events_failed_idx',
      on: `audit_events (outcome, id) include ("timestamp", action) where outcome <> 'success'`,
    },
  ],
};

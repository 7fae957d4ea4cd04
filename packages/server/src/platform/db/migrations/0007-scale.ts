/** Indexes and leases for many rows and many replicas. */
export const scale = {
  version: 7,
  name: 'scale',
  sql: `
-- While the table has no statistics, the planner may use an index that begins with status to look up one session, and
-- then scans all active users. The list of users needs an index on id, and one for the few users who are not active.
create index users_list_idx on users (id) include (status);
create index users_inactive_idx on users (status, id) where status <> 'active';
drop index users_status_idx;

-- Leases: background work that one replica does for all. A replica takes a lease that has expired.
create table turns (
  name text primary key,
  taken_until timestamptz not null
);
`,
};

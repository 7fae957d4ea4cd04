/** Indexes and leases for many rows and many replicas. */
export const scale = {
  version: 7,
  name: 'scale',
  sql: `
-- An index that begins with the status tempts the planner, while it knows nothing of the table, to start a look-up of one
-- session from all active users. Pages of the list are found by id, and those who are not active are few.
create index users_list_idx on users (id) include (status);
create index users_inactive_idx on users (status, id) where status <> 'active';
drop index users_status_idx;

-- Work that one replica does for all: whoever finds the turn free takes it for a while.
create table turns (
  name text primary key,
  taken_until timestamptz not null
);
`,
};

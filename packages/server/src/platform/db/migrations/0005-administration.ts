/** Invitations, feature flags, indexes for lists, stored counts of the audit trail, and what imports need. */
export const administration = {
  version: 5,
  name: 'administration',
  sql: `
create extension if not exists pg_trgm;

-- For the search parameter \`q\`. A sign-in changes none of these columns, so it writes none of these indexes.
create index users_search_idx on users using gin (email gin_trgm_ops, display_name gin_trgm_ops);
create index organizations_search_idx on organizations using gin (name gin_trgm_ops, slug gin_trgm_ops);
create index users_status_idx on users (status, id);
-- Few rows. Used to check that a platform owner remains.
create index users_platform_role_idx on users (platform_role) where platform_role is not null;

-- The number of users with a status is the sum of its rows. Each change inserts a row instead of updating one, so that
-- concurrent changes do not wait for a row lock. The sweeper merges rows.
create table user_counts (
  status text not null,
  delta bigint not null
);
insert into user_counts select status, count(*) from users group by status;

create function count_users() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into user_counts select status, count(*) from after group by status;
  else
    insert into user_counts select status, -count(*) from before group by status;
  end if;
  return null;
end $$;
create trigger users_count_insert after insert on users
  referencing new table as after for each statement execute function count_users();
create trigger users_count_delete after delete on users
  referencing old table as before for each statement execute function count_users();
create function count_user_change() returns trigger language plpgsql as $$
begin
  insert into user_counts values (old.status, -1), (new.status, 1);
  return null;
end $$;
-- A sign-in updates users too. The condition keeps the trigger from running unless the status changes.
create trigger users_count_update after update of status on users
  for each row when (old.status is distinct from new.status) execute function count_user_change();

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  inviter_id uuid not null references users,
  -- The email of the inviter when the invitation was sent. It stays in the list after the inviter has left.
  inviter_email text not null,
  -- Kept after the invitation was closed, so that the page of its link can say why it is no longer valid.
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  -- When it was accepted or revoked, or when a new invitation replaced it after it had expired.
  closed_at timestamptz
);
create unique index invitations_token_key on invitations (token_hash);
-- At most one open invitation (one that can be accepted or sent again) per address and organization.
create unique index invitations_open_key on invitations (organization_id, email) where closed_at is null;
create index invitations_organization_idx on invitations (organization_id, id);
create index invitations_end_idx on invitations (coalesce(closed_at, expires_at));
create index memberships_revoked_idx on memberships (revoked_at) where revoked_at is not null;
-- The members of an organization in the order in which they are listed.
create index memberships_joined_idx on memberships (organization_id, joined_at, user_id) where revoked_at is null;

create table feature_flags (
  flag_key text not null,
  -- Null: the default for every organization.
  organization_id uuid references organizations,
  enabled boolean not null,
  value jsonb,
  updated_at timestamptz not null
);
create unique index feature_flags_key on feature_flags (flag_key, organization_id) nulls not distinct;
create index feature_flags_organization_idx on feature_flags (organization_id);

-- Pages are sorted by id. These indexes return the rows of one actor or one action in that order, with their
-- timestamps.
drop index audit_events_actor_idx;
drop index audit_events_action_idx;
create index audit_events_actor_idx on audit_events (actor_id, id) include ("timestamp", action);
create index audit_events_action_idx on audit_events (action, id) include ("timestamp");
create index audit_events_xid_idx on audit_events (xid);

-- The number of audit rows per action and hour, and their lowest and highest id. The action '' stands for all actions.
-- Counted are the rows of transactions before the mark. Rows of later transactions are counted at each request, so that
-- every row is counted exactly once, even if its transaction commits late.
create table audit_hours (
  action text not null,
  hour timestamptz not null,
  count bigint not null,
  least_id bigint not null,
  greatest_id bigint not null,
  primary key (action, hour)
);
create table audit_mark (
  only_one boolean primary key default true check (only_one),
  counted_before xid8 not null,
  -- Rows up to this id are counted regardless of their transaction id, which after a restore may be from another
  -- cluster.
  counted_to bigint not null
);
insert into audit_mark (counted_before, counted_to) values ('0', 0);

-- The progress of an import, so that an interrupted one can resume.
create table imports (
  export_id uuid not null,
  file text not null,
  lines bigint not null,
  finished_at timestamptz,
  primary key (export_id, file)
);

-- Sealed keys of other services, needed to verify the password hashes that were imported from them.
create table foreign_hash_keys (
  id uuid primary key,
  sealed_key text not null,
  created_at timestamptz not null
);

-- The number of password hashes with the same head, counted like user_counts. The head is the part before the salt: the
-- algorithm and its parameters, which determine the cost of verifying a password. Empty: the parameters of this
-- service.
create table password_counts (
  head text not null,
  delta bigint not null
);
create function password_head(stored text) returns text language sql immutable as $$
  select case when stored like '$argon2id$v=19$m=19456,t=2,p=1$%' then ''
    else coalesce(substring(stored from '^\\$[^$]*\\$(?:v=[0-9]+\\$)?[^$]*'), '?') end
$$;
insert into password_counts select password_head(password_hash), count(*) from users where password_hash is not null group by 1;

create function count_passwords() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into password_counts
      select password_head(password_hash), count(*) from after where password_hash is not null group by 1;
  else
    insert into password_counts
      select password_head(password_hash), -count(*) from before where password_hash is not null group by 1;
  end if;
  return null;
end $$;
create trigger users_password_insert after insert on users
  referencing new table as after for each statement execute function count_passwords();
create trigger users_password_delete after delete on users
  referencing old table as before for each statement execute function count_passwords();
create function count_password_change() returns trigger language plpgsql as $$
begin
  insert into password_counts
    select password_head(stored), sum(change) from (values (old.password_hash, -1), (new.password_hash, 1)) as side (stored, change)
    where stored is not null group by 1 having sum(change) <> 0;
  return null;
end $$;
-- A sign-in also sets this column, usually to the same hash. The trigger then costs one comparison.
create trigger users_password_update after update of password_hash on users
  for each row when (old.password_hash is distinct from new.password_hash) execute function count_password_change();
`,
};

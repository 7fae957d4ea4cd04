/** Invitations, feature flags, indexes for lists, stored counts of the audit trail, and what imports need. */
export const administration = {
  version: 5,
  name: 'administration',
  sql: `
create extension if not exists pg_trgm;

-- What \`q\` looks in. A sign-in changes none of these columns, so it touches none of these indexes.
create index users_search_idx on users using gin (email gin_trgm_ops, display_name gin_trgm_ops);
create index organizations_search_idx on organizations using gin (name gin_trgm_ops, slug gin_trgm_ops);
create index users_status_idx on users (status, id);
-- A handful of rows, asked for whenever the last owner might go.
create index users_platform_role_idx on users (platform_role) where platform_role is not null;

-- How many users there are in each state: the sum of the rows. Every change adds a row of its own, so that nobody waits
-- for anybody, and the sweeper puts rows together.
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
-- A sign-in writes this table too, and must not pay for it.
create trigger users_count_update after update of status on users
  for each row when (old.status is distinct from new.status) execute function count_user_change();

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  inviter_id uuid not null references users,
  -- As it was when it was sent: the list outlives their time here.
  inviter_email text not null,
  -- Kept when the invitation is over, so that its link can say so.
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  -- Accepted, revoked, or expired and followed by another.
  closed_at timestamptz
);
create unique index invitations_token_key on invitations (token_hash);
-- One that can still be accepted or sent again for each address and organization.
create unique index invitations_open_key on invitations (organization_id, email) where closed_at is null;
create index invitations_organization_idx on invitations (organization_id, id);
create index invitations_end_idx on invitations (coalesce(closed_at, expires_at));
create index memberships_revoked_idx on memberships (revoked_at) where revoked_at is not null;
-- The members of an organization in the order of their list.
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

-- Pages are sorted by id; these find one actor's and one action's rows in that order, times included.
drop index audit_events_actor_idx;
drop index audit_events_action_idx;
create index audit_events_actor_idx on audit_events (actor_id, id) include ("timestamp", action);
create index audit_events_action_idx on audit_events (action, id) include ("timestamp");
create index audit_events_xid_idx on audit_events (xid);

-- How many rows of each action an hour has, and between which ids they lie; '' stands for all actions together. They hold
-- the rows of every transaction before the mark; those of later ones are counted when asked for, so that each row counts
-- once however late it commits.
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
  -- Rows up to here are counted whatever their transaction: it may be one of another cluster, before a restore.
  counted_to bigint not null
);
insert into audit_mark (counted_before, counted_to) values ('0', 0);

-- How far an import has come, so that one that was cut off goes on where it was.
create table imports (
  export_id uuid not null,
  file text not null,
  lines bigint not null,
  finished_at timestamptz,
  primary key (export_id, file)
);

-- Keys of another service that hashes brought along from it are checked with, sealed.
create table foreign_hash_keys (
  id uuid primary key,
  sealed_key text not null,
  created_at timestamptz not null
);

-- How many accounts have a hash of which kind, counted like the users: by what stands before the salt, which is all that
-- decides what checking a password costs. Empty: made with our own settings.
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
-- A sign-in names this column too; while the hash stays the same it costs one comparison.
create trigger users_password_update after update of password_hash on users
  for each row when (old.password_hash is distinct from new.password_hash) execute function count_password_change();
`,
};

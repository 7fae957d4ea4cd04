/** Organizations, users, sessions, keys, audit trail, mail queue, bus and counters. */
export const foundation = {
  version: 1,
  name: 'foundation',
  sql: `
create table organizations (
  id uuid primary key,
  name text not null,
  slug text not null constraint organizations_slug_key unique,
  created_at timestamptz not null,
  suspended_at timestamptz
);

create table users (
  id uuid primary key,
  email text not null,
  email_verified_at timestamptz,
  display_name text,
  locale text,
  status text not null check (status in ('active', 'disabled', 'deleted')),
  platform_role text check (platform_role in ('viewer', 'admin', 'owner')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- Deleting is soft and frees the email.
create unique index users_email_key on users (email) where status <> 'deleted';

create table memberships (
  organization_id uuid not null references organizations,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz not null,
  revoked_at timestamptz,
  primary key (organization_id, user_id)
);
create index memberships_user_idx on memberships (user_id);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users,
  organization_id uuid not null references organizations,
  auth_method text not null,
  aal text not null check (aal in ('aal1', 'aal2')),
  auth_time timestamptz not null,
  mfa_verified_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  access_expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  revoked_at timestamptz
);
create index sessions_user_idx on sessions (user_id);
create index sessions_organization_idx on sessions (organization_id) where revoked_at is null;
create index sessions_expiry_idx on sessions (expires_at);

-- What the revocation feed publishes; a row is swept when the last access token of its family is dead.
create table revocations (
  sid uuid primary key,
  revoked_at timestamptz not null,
  expires_at timestamptz not null
);
create index revocations_expiry_idx on revocations (expires_at);

create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  sealed_private_key text,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  published_until timestamptz
);

-- Partitioned by month, so that old months can be archived whole. xid: a tail can tell which rows may still appear.
create table audit_events (
  id bigint generated always as identity,
  event_id uuid not null,
  "timestamp" timestamptz not null,
  organization_id uuid not null,
  actor_id uuid,
  actor_type text not null,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  ip_address text,
  user_agent text,
  request_id uuid,
  metadata jsonb not null,
  outcome text not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (id, "timestamp")
) partition by range ("timestamp");
create table audit_events_rest partition of audit_events default;
create index audit_events_actor_idx on audit_events (actor_id, "timestamp");
create index audit_events_action_idx on audit_events (action, "timestamp");

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit events are append-only';
end $$;
create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events_rest
  for each statement execute function refuse_audit_change();

-- The month's partition, unless it is there already or rows of that month went to the rest before it was made.
create function ensure_audit_month(month timestamptz) returns void language plpgsql as $$
declare
  first timestamptz := date_trunc('month', month, 'UTC');
  next timestamptz := date_trunc('month', month, 'UTC') + interval '32 days';
  partition text := 'audit_events_' || to_char(first at time zone 'UTC', 'YYYYMM');
begin
  next := date_trunc('month', next, 'UTC');
  perform pg_advisory_xact_lock(hashtext('gatehouse audit months'));
  if to_regclass(partition) is not null
    or exists (select from audit_events_rest where "timestamp" >= first and "timestamp" < next) then
    return;
  end if;
  execute format('create table %I partition of audit_events for values from (%L) to (%L)', partition, first, next);
  execute format('create trigger audit_events_no_truncate before truncate on %I
    for each statement execute function refuse_audit_change()', partition);
end $$;

-- Cache invalidations for the other replicas. NOTIFY only wakes them; these rows are what counts.
create table bus_events (
  id bigint generated always as identity primary key,
  topic text not null,
  key text not null,
  created_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id()
);
create index bus_events_xid_idx on bus_events (xid);
create index bus_events_created_idx on bus_events (created_at);

create table rate_counters (
  key bytea primary key,
  count integer not null,
  resets_at timestamptz not null
);
create index rate_counters_expiry_idx on rate_counters (resets_at);

create table mails (
  id uuid primary key,
  template text not null,
  locale text not null,
  sealed text,
  state text not null check (state in ('queued', 'sent', 'failed', 'expired')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  last_error text
);
create index mails_due_idx on mails (next_attempt_at) where state = 'queued';
create index mails_finished_idx on mails (finished_at) where state <> 'queued';
`,
};

/** Webhooks, their deliveries, and the fixed order of the stream of events. */
export const webhooks = {
  version: 17,
  name: 'webhooks',
  sql: `
-- Without organization: one of the platform's own. A deleted one keeps its row for a while, so that deleting it again is
-- no error. failing_since: the first failed attempt since the last successful one.
create table webhooks (
  id uuid primary key,
  organization_id uuid references organizations,
  url text not null,
  description text not null,
  events text[] not null,
  enabled boolean not null,
  disabled_reason text,
  failing_since timestamptz,
  created_by uuid not null references users,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create index webhooks_organization_idx on webhooks (organization_id) where deleted_at is null;
create index webhooks_creator_idx on webhooks (created_by) where enabled;
create index webhooks_deleted_idx on webhooks (deleted_at) where deleted_at is not null;

create table webhook_secrets (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  sealed_secret text not null,
  created_at timestamptz not null,
  expires_at timestamptz
);
create index webhook_secrets_webhook_idx on webhook_secrets (webhook_id);
create index webhook_secrets_expiry_idx on webhook_secrets (expires_at) where expires_at is not null;

-- An event belongs to a span if it was committed after the snapshot "since" and before the snapshot "until".
create table webhook_spans (
  webhook_id uuid not null references webhooks on delete cascade,
  opened_by xid8 not null default pg_current_xact_id(),
  since pg_snapshot not null default pg_current_snapshot(),
  until pg_snapshot,
  primary key (webhook_id, opened_by)
);

-- audit_id and event_at find the audit row; without them it is a test event. attempts_before: attempts before the last
-- manual retry, which starts the retry schedule again.
create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null,
  audit_id bigint,
  event_at timestamptz not null,
  type text not null,
  status text not null default 'pending',
  attempts int not null default 0,
  attempts_before int not null default 0,
  last_status int,
  last_error text,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz not null,
  created_at timestamptz not null,
  delivered_at timestamptz
);
create index webhook_deliveries_due_idx on webhook_deliveries (webhook_id, next_attempt_at, id) where status = 'pending';
create index webhook_deliveries_list_idx on webhook_deliveries (webhook_id, created_at, id);
create index webhook_deliveries_status_idx on webhook_deliveries (webhook_id, status, created_at, id);
create index webhook_deliveries_created_idx on webhook_deliveries (created_at);

-- place: the cluster and database whose transaction ids the order uses. Rows up to the id old_to are from an import or
-- a restore and come first, by id. sent_xid, sent_id: the last event for which deliveries were inserted.
create table event_stream (
  only_one boolean primary key default true check (only_one),
  epoch uuid,
  place text,
  old_to bigint not null default 0,
  sent_xid xid8 not null default '0',
  sent_id bigint not null default 0
);
insert into event_stream default values;
`,
};

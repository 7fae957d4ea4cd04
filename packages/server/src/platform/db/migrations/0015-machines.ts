/** Service accounts, their roles and API keys, and invitations that a service account sent. */
export const machines = {
  version: 15,
  name: 'machines',
  sql: `
-- A deleted account keeps its row for a while, so that deleting it again is no error.
create table service_accounts (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  description text,
  created_by uuid not null references users,
  created_at timestamptz not null,
  last_used_at timestamptz,
  disabled_at timestamptz,
  deleted_at timestamptz
);
create index service_accounts_organization_idx on service_accounts (organization_id) where deleted_at is null;
create index service_accounts_creator_idx on service_accounts (created_by);
create index service_accounts_deleted_idx on service_accounts (deleted_at) where deleted_at is not null;

create table service_account_roles (
  service_account_id uuid not null references service_accounts on delete cascade,
  role_id uuid not null references roles on delete cascade,
  primary key (service_account_id, role_id)
);
create index service_account_roles_role_idx on service_account_roles (role_id);

-- A key ends at the earliest of revoked_at, expires_at and overlap_ends_at, which a rotation sets.
create table api_keys (
  id uuid primary key,
  service_account_id uuid not null references service_accounts on delete cascade,
  public_id text not null,
  secret_hash bytea not null,
  sid uuid not null,
  name text not null,
  scopes text[],
  allowed_ips text[] not null,
  allowed_referrers text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  overlap_ends_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create unique index api_keys_public_id_key on api_keys (public_id);
create unique index api_keys_sid_key on api_keys (sid);
create index api_keys_account_idx on api_keys (service_account_id);
create index api_keys_overlap_idx on api_keys (overlap_ends_at) where revoked_at is null and overlap_ends_at is not null;
create index api_keys_ended_idx on api_keys (least(revoked_at, expires_at, overlap_ends_at));

alter table invitations alter column inviter_id drop not null;
alter table invitations add column service_account_id uuid references service_accounts on delete set null;
`,
};

/** Verified domains, OpenID Connect connections, and the accounts that are linked to them. */
export const sso = {
  version: 19,
  name: 'sso',
  sql: `
-- A deleted one keeps its row for a while, so that deleting it again is no error.
create table sso_connections (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret text,
  create_members boolean not null,
  default_role text not null check (default_role in ('member', 'admin')),
  trust_idp_mfa boolean not null,
  active boolean not null default false,
  tested_at timestamptz,
  last_test jsonb,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create index sso_connections_organization_idx on sso_connections (organization_id) where deleted_at is null;
create index sso_connections_deleted_idx on sso_connections (deleted_at) where deleted_at is not null;

create table sso_connection_roles (
  connection_id uuid not null references sso_connections on delete cascade,
  role_id uuid not null references roles on delete cascade,
  primary key (connection_id, role_id)
);
create index sso_connection_roles_role_idx on sso_connection_roles (role_id);

-- Pending while verified_at is null. A removed one keeps its row for a while, so that removing it again is no error.
create table domains (
  id uuid primary key,
  organization_id uuid not null references organizations,
  domain text not null,
  token text not null,
  connection_id uuid references sso_connections on delete set null,
  created_at timestamptz not null,
  verified_at timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz,
  failing_since timestamptz,
  removed_at timestamptz
);
create unique index domains_organization_key on domains (organization_id, domain) where removed_at is null;
create unique index domains_verified_key on domains (domain) where verified_at is not null;
create index domains_check_idx on domains (next_check_at) where next_check_at is not null;
create index domains_removed_idx on domains (removed_at) where removed_at is not null;
create index domains_connection_idx on domains (connection_id) where connection_id is not null;

-- One subject and one account at most per connection.
create table sso_identities (
  id uuid primary key,
  connection_id uuid not null references sso_connections on delete cascade,
  user_id uuid not null references users,
  subject text not null,
  email text not null,
  linked_at timestamptz not null,
  last_used_at timestamptz,
  unique (connection_id, subject),
  unique (connection_id, user_id)
);
create index sso_identities_user_idx on sso_identities (user_id);

-- The connection that opened the session: the session belongs to its organization alone. A switch copies it.
alter table sessions add column connection_id uuid;
-- The grant ends with its session, also with the scope offline_access.
alter table application_grants add column connection_id uuid;
`,
};

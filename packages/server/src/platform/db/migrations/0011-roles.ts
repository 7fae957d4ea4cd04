/** Permissions of the product, roles that bundle them, and what the feed says about stale access tokens. */
export const roles = {
  version: 11,
  name: 'roles',
  sql: `
create table permissions (
  name text primary key,
  description text,
  created_at timestamptz not null
);

-- Without organization: a global role. A deleted role keeps its row for a while, so that deleting it again is no error.
create table roles (
  id uuid primary key,
  organization_id uuid references organizations,
  name text not null,
  slug text not null,
  description text,
  permissions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index roles_slug_key on roles (slug, organization_id) nulls not distinct where deleted_at is null;
create index roles_organization_idx on roles (organization_id) where deleted_at is null;
create index roles_permissions_idx on roles using gin (permissions);
create index roles_deleted_idx on roles (deleted_at) where deleted_at is not null;

create table member_roles (
  organization_id uuid not null,
  user_id uuid not null,
  role_id uuid not null references roles,
  primary key (organization_id, user_id, role_id),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create index member_roles_role_idx on member_roles (role_id);

alter table invitations add column role_ids uuid[] not null default '{}';

-- \`before\` is null until the change is committed and published; \`xid\` is the transaction that published it.
create table refreshes (
  id bigint generated always as identity primary key,
  key text not null,
  before bigint,
  expires_at timestamptz not null,
  xid xid8
);
create index refreshes_pending_idx on refreshes (id) where before is null;
create index refreshes_key_idx on refreshes (key, before);
create index refreshes_xid_idx on refreshes (xid);
create index refreshes_expiry_idx on refreshes (expires_at);
`,
};

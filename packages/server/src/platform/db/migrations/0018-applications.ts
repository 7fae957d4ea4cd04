/** Applications that sign users in with this service (docs/reference/oauth-server.md). */
export const applications = {
  version: 18,
  name: 'applications',
  sql: `
create table applications (
  id uuid primary key,
  client_id text not null unique,
  name text not null,
  kind text not null check (kind in ('web', 'spa', 'native')),
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null,
  backchannel_logout_uri text,
  scopes text[] not null,
  resources text[] not null,
  trusted boolean not null,
  device_flow boolean not null,
  organization_id uuid references organizations,
  enabled boolean not null,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create index applications_deleted_idx on applications (deleted_at) where deleted_at is not null;

create table application_secrets (
  id uuid primary key,
  application_id uuid not null references applications on delete cascade,
  hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index application_secrets_application_idx on application_secrets (application_id, id);
create index application_secrets_revoked_idx on application_secrets (revoked_at) where revoked_at is not null;

create table application_consents (
  user_id uuid not null references users,
  application_id uuid not null references applications on delete cascade,
  scopes text[] not null,
  issued_scopes text[] not null,
  granted_at timestamptz not null,
  revoked_at timestamptz,
  primary key (user_id, application_id)
);
create index application_consents_application_idx on application_consents (application_id);
create index application_consents_revoked_idx on application_consents (revoked_at) where revoked_at is not null;

create table application_grants (
  id uuid primary key,
  application_id uuid not null references applications on delete cascade,
  user_id uuid not null references users,
  organization_id uuid not null references organizations,
  session_id uuid not null,
  scopes text[] not null,
  resource text,
  offline boolean not null,
  first_factor text,
  aal text not null check (aal in ('aal1', 'aal2')),
  auth_time timestamptz not null,
  nonce text,
  redirect_uri text,
  code_challenge text,
  code_hash bytea unique,
  code_expires_at timestamptz,
  code_used_at timestamptz,
  refresh_jti uuid,
  created_at timestamptz not null,
  last_used_at timestamptz,
  access_expires_at timestamptz,
  expires_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 80);
create index application_grants_user_idx on application_grants (user_id, id) where ended_at is null;
create index application_grants_session_idx on application_grants (session_id, id) where ended_at is null;
create index application_grants_organization_idx on application_grants (organization_id, id) where ended_at is null;
create index application_grants_application_idx on application_grants (application_id);
create index application_grants_ended_idx on application_grants (ended_at) where ended_at is not null;
create index application_grants_unspent_idx on application_grants (code_expires_at) where code_used_at is null;

create table interactions (
  id uuid primary key,
  kind text not null check (kind in ('sign_in', 'mfa', 'consent', 'organization', 'device', 'logout')),
  browser_hash bytea not null,
  application_id uuid not null references applications on delete cascade,
  user_id uuid references users,
  request jsonb not null,
  requested_from text,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz
);
create index interactions_expiry_idx on interactions (expires_at);

create table application_keys (
  kid text primary key,
  public_jwk jsonb not null,
  sealed_private_key text,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  published_until timestamptz
);
`,
};

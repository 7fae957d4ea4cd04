-- The tables of the service after all migrations in packages/server/src/platform/db/migrations.
-- Generated from a migrated database and packages/server/src/platform/db/tables.ts, without partitions. To update:
--   npx vitest run --project embedded packages/server/test/schema-reference.test.ts -u

-- An organization (tenant).
-- Export: yes. Growth: with the number of users.
create table organizations (
  id uuid not null,
  name text not null,
  slug text not null,
  created_at timestamptz not null,
  suspended_at timestamptz,
  policy jsonb,
  primary key (id),
  unique (slug)
);
create index organizations_by_name_idx on organizations (lower(name), id);
create index organizations_created_idx on organizations (created_at, id);
create index organizations_search_idx on organizations using gin (name gin_trgm_ops, slug gin_trgm_ops);

-- A user account. A deleted account keeps its row, email address and name, but no credentials.
-- Export: yes. Growth: with the number of users; deleted accounts keep their row.
create table users (
  id uuid not null,
  email text not null,
  email_verified_at timestamptz,
  display_name text,
  locale text,
  status text not null,
  platform_role text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  password_hash text,
  last_password_change_at timestamptz,
  last_login_at timestamptz,
  last_organization_id uuid,
  mfa_enabled_at timestamptz,
  avatar_id text,
  primary key (id),
  check (platform_role in ('viewer', 'admin', 'owner')),
  check (status in ('active', 'disabled', 'deleted')),
  foreign key (last_organization_id) references organizations(id)
) with (fillfactor=85);
create index users_by_email_idx on users (email, id) include (status);
create index users_created_idx on users (created_at, id) include (status);
create index users_inactive_idx on users (status, id) where (status <> 'active');
create index users_list_idx on users (id) include (status);
create index users_platform_role_idx on users (platform_role) where (platform_role is not null);
create index users_search_idx on users using gin (email gin_trgm_ops, display_name gin_trgm_ops);
create unique index users_email_key on users (email) where (status <> 'deleted');
create trigger users_count_delete after delete on users referencing old table as before for each statement execute function count_users();
create trigger users_count_insert after insert on users referencing new table as after for each statement execute function count_users();
create trigger users_count_update after update of status on users for each row when ((old.status is distinct from new.status)) execute function count_user_change();
create trigger users_login_insert after insert on users for each row execute function copy_last_login();
create trigger users_login_update after update of last_login_at on users for each row when ((old.last_login_at is distinct from new.last_login_at)) execute function copy_last_login();
create trigger users_password_delete after delete on users referencing old table as before for each statement execute function count_passwords();
create trigger users_password_insert after insert on users referencing new table as after for each statement execute function count_passwords();
create trigger users_password_update after update of password_hash on users for each row when ((old.password_hash is distinct from new.password_hash)) execute function count_password_change();

-- The role of a user in an organization. An ended one stays: single sign-on does not add a former member again.
-- Export: yes. Growth: at most one per user and organization.
create table memberships (
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  joined_at timestamptz not null,
  revoked_at timestamptz,
  revoked_email text,
  primary key (organization_id, user_id),
  check (role in ('owner', 'admin', 'member')),
  foreign key (organization_id) references organizations(id),
  foreign key (user_id) references users(id)
);
create index memberships_joined_idx on memberships (organization_id, joined_at, user_id) where (revoked_at is null);
create index memberships_revoked_email_idx on memberships (organization_id, revoked_email) where (revoked_email is not null);
create index memberships_revoked_idx on memberships (revoked_at) where (revoked_at is not null);
create index memberships_user_idx on memberships (user_id);

-- A permission of the product behind the service.
-- Export: yes. Growth: at most 500.
create table permissions (
  name text not null,
  description text,
  created_at timestamptz not null,
  primary key (name)
);

-- A role: a set of permissions that members can have besides their base role. Without organization: a global one.
-- Export: yes. Growth: rows where deleted_at is not null are deleted after 90 days.
create table roles (
  id uuid not null,
  organization_id uuid,
  name text not null,
  slug text not null,
  description text,
  permissions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (id),
  foreign key (organization_id) references organizations(id)
);
create index roles_deleted_idx on roles (deleted_at) where (deleted_at is not null);
create index roles_organization_idx on roles (organization_id) where (deleted_at is null);
create index roles_permissions_idx on roles using gin (permissions);
create unique index roles_slug_key on roles (slug, organization_id) nulls not distinct where (deleted_at is null);

-- Other software that signs users in with this service. A deleted one keeps its row for a time.
-- Export: yes. Growth: rows where deleted_at is not null are deleted after 90 days.
create table applications (
  id uuid not null,
  client_id text not null,
  name text not null,
  kind text not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null,
  backchannel_logout_uri text,
  scopes text[] not null,
  resources text[] not null,
  trusted boolean not null,
  device_flow boolean not null,
  organization_id uuid,
  enabled boolean not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (id),
  unique (client_id),
  check (kind in ('web', 'spa', 'native')),
  foreign key (organization_id) references organizations(id)
);
create index applications_deleted_idx on applications (deleted_at) where (deleted_at is not null);

-- A secret of an application, hashed.
-- Export: yes. Growth: rows where revoked_at is not null are deleted after 90 days.
create table application_secrets (
  id uuid not null,
  application_id uuid not null,
  hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (id),
  foreign key (application_id) references applications(id) on delete cascade
);
create index application_secrets_application_idx on application_secrets (application_id, id);
create index application_secrets_revoked_idx on application_secrets (revoked_at) where (revoked_at is not null);

-- What a user allows an application, and what tokens were issued for.
-- Export: yes. Growth: rows where revoked_at is not null are deleted after 90 days.
create table application_consents (
  user_id uuid not null,
  application_id uuid not null,
  scopes text[] not null,
  issued_scopes text[] not null,
  granted_at timestamptz not null,
  revoked_at timestamptz,
  primary key (user_id, application_id),
  foreign key (application_id) references applications(id) on delete cascade,
  foreign key (user_id) references users(id)
);
create index application_consents_application_idx on application_consents (application_id);
create index application_consents_revoked_idx on application_consents (revoked_at) where (revoked_at is not null);

-- A role of a member besides the base role.
-- Export: yes. Growth: deleted with the role, and when the member leaves.
create table member_roles (
  organization_id uuid not null,
  user_id uuid not null,
  role_id uuid not null,
  primary key (organization_id, user_id, role_id),
  foreign key (organization_id, user_id) references memberships(organization_id, user_id) on delete cascade,
  foreign key (role_id) references roles(id)
);
create index member_roles_role_idx on member_roles (role_id);

-- An account of a program in an organization. It signs in with API keys only.
-- Export: yes. Growth: rows where deleted_at is not null are deleted after 90 days.
create table service_accounts (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  description text,
  created_by uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  disabled_at timestamptz,
  deleted_at timestamptz,
  primary key (id),
  foreign key (created_by) references users(id),
  foreign key (organization_id) references organizations(id)
);
create index service_accounts_creator_idx on service_accounts (created_by);
create index service_accounts_deleted_idx on service_accounts (deleted_at) where (deleted_at is not null);
create index service_accounts_organization_idx on service_accounts (organization_id) where (deleted_at is null);

-- A role of a service account.
-- Export: yes. Growth: deleted with the role, and with the account.
create table service_account_roles (
  service_account_id uuid not null,
  role_id uuid not null,
  primary key (service_account_id, role_id),
  foreign key (role_id) references roles(id) on delete cascade,
  foreign key (service_account_id) references service_accounts(id) on delete cascade
);
create index service_account_roles_role_idx on service_account_roles (role_id);

-- An API key of a service account; its secret part is hashed.
-- Export: yes. Growth: rows where least(revoked_at, expires_at, overlap_ends_at) is not null are deleted after 90 days.
create table api_keys (
  id uuid not null,
  service_account_id uuid not null,
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
  last_used_at timestamptz,
  primary key (id),
  foreign key (service_account_id) references service_accounts(id) on delete cascade
);
create index api_keys_account_idx on api_keys (service_account_id);
create index api_keys_ended_idx on api_keys (least(revoked_at, expires_at, overlap_ends_at));
create index api_keys_overlap_idx on api_keys (overlap_ends_at) where ((revoked_at is null) and (overlap_ends_at is not null));
create unique index api_keys_public_id_key on api_keys (public_id);
create unique index api_keys_sid_key on api_keys (sid);

-- A user's authenticator secret, sealed; pending until a first code is verified.
-- Export: yes. Growth: at most one per user.
create table totp_secrets (
  user_id uuid not null,
  sealed_secret text not null,
  created_at timestamptz not null,
  pending_until timestamptz,
  used_steps integer[] default '{}' not null,
  primary key (user_id),
  foreign key (user_id) references users(id)
);

-- A recovery code of a user, hashed; used codes are kept.
-- Export: yes. Growth: at most ten per user.
create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, code_hash),
  foreign key (user_id) references users(id)
);

-- A passkey of a user: its public key and signature counter.
-- Export: yes. Growth: rows where revoked_at is not null are deleted after 90 days.
create table passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id bytea,
  public_key bytea,
  sign_count bigint not null,
  name text not null,
  device_type text not null,
  backed_up boolean not null,
  transports text[] not null,
  aaguid uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  rp_id text,
  primary key (id),
  foreign key (user_id) references users(id)
);
create index passkeys_revoked_idx on passkeys (revoked_at) where (revoked_at is not null);
create index passkeys_user_idx on passkeys (user_id);
create unique index passkeys_credential_key on passkeys (credential_id);

-- An account at an OAuth provider that is linked to a user.
-- Export: yes. Growth: rows where revoked_at is not null are deleted after 90 days.
create table identities (
  id uuid not null,
  user_id uuid not null,
  provider text not null,
  issuer text not null,
  subject text,
  email text,
  linked_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (id),
  foreign key (user_id) references users(id)
);
create index identities_revoked_idx on identities (revoked_at) where (revoked_at is not null);
create index identities_user_idx on identities (user_id);
create unique index identities_subject_key on identities (provider, issuer, subject);

-- A connection to an organization's OpenID Connect provider; its secret is sealed. A deleted one keeps its row for a time.
-- Export: yes. Growth: rows where deleted_at is not null are deleted after 90 days.
create table sso_connections (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret text,
  create_members boolean not null,
  default_role text not null,
  trust_idp_mfa boolean not null,
  active boolean default false not null,
  tested_at timestamptz,
  last_test jsonb,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (id),
  check (default_role in ('member', 'admin')),
  foreign key (organization_id) references organizations(id)
);
create index sso_connections_deleted_idx on sso_connections (deleted_at) where (deleted_at is not null);
create index sso_connections_organization_idx on sso_connections (organization_id) where (deleted_at is null);

-- A role that a connection gives to the members it creates.
-- Export: yes. Growth: deleted with the role, and with the connection.
create table sso_connection_roles (
  connection_id uuid not null,
  role_id uuid not null,
  primary key (connection_id, role_id),
  foreign key (connection_id) references sso_connections(id) on delete cascade,
  foreign key (role_id) references roles(id) on delete cascade
);
create index sso_connection_roles_role_idx on sso_connection_roles (role_id);

-- A domain of an organization; verified by a DNS record, which is checked daily. A removed one keeps its row for a time.
-- Export: yes. Growth: rows where removed_at is not null are deleted after 90 days.
create table domains (
  id uuid not null,
  organization_id uuid not null,
  domain text not null,
  token text not null,
  connection_id uuid,
  created_at timestamptz not null,
  verified_at timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz,
  failing_since timestamptz,
  removed_at timestamptz,
  primary key (id),
  foreign key (connection_id) references sso_connections(id) on delete set null,
  foreign key (organization_id) references organizations(id)
);
create index domains_check_idx on domains (next_check_at) where (next_check_at is not null);
create index domains_connection_idx on domains (connection_id) where (connection_id is not null);
create index domains_removed_idx on domains (removed_at) where (removed_at is not null);
create unique index domains_organization_key on domains (organization_id, domain) where (removed_at is null);
create unique index domains_verified_key on domains (domain) where (verified_at is not null);

-- A subject of a connection, linked to the account of a member.
-- Export: yes. Growth: at most one per member and connection; deleted with the connection.
create table sso_identities (
  id uuid not null,
  connection_id uuid not null,
  user_id uuid not null,
  subject text not null,
  email text not null,
  linked_at timestamptz not null,
  last_used_at timestamptz,
  primary key (id),
  unique (connection_id, subject),
  unique (connection_id, user_id),
  foreign key (connection_id) references sso_connections(id) on delete cascade,
  foreign key (user_id) references users(id)
);
create index sso_identities_user_idx on sso_identities (user_id);

-- A trusted browser, in which a user skips the second factor; its cookie is hashed.
-- Export: yes. Growth: rows are deleted after 120 days.
create table trusted_browsers (
  id uuid not null,
  user_id uuid not null,
  token_hash bytea,
  name text not null,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (id),
  foreign key (user_id) references users(id)
);
create index trusted_browsers_end_idx on trusted_browsers (coalesce(revoked_at, expires_at));
create index trusted_browsers_user_idx on trusted_browsers (user_id);
create unique index trusted_browsers_token_key on trusted_browsers (token_hash);

-- A user's picture.
-- Export: yes. Growth: at most one per user.
create table avatars (
  id text not null,
  user_id uuid not null,
  image bytea not null,
  created_at timestamptz not null,
  primary key (id),
  foreign key (user_id) references users(id)
);
create index avatars_user_idx on avatars (user_id);

-- An invitation to an organization; its token is hashed.
-- Export: yes. Growth: rows are deleted after 97 days.
create table invitations (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  role text not null,
  inviter_id uuid,
  inviter_email text not null,
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  closed_at timestamptz,
  role_ids uuid[] default '{}' not null,
  service_account_id uuid,
  primary key (id),
  check (role in ('owner', 'admin', 'member')),
  foreign key (inviter_id) references users(id),
  foreign key (organization_id) references organizations(id),
  foreign key (service_account_id) references service_accounts(id) on delete set null
);
create index invitations_email_idx on invitations (email);
create index invitations_end_idx on invitations (coalesce(closed_at, expires_at));
create index invitations_inviter_idx on invitations (inviter_id);
create index invitations_organization_idx on invitations (organization_id, id);
create unique index invitations_open_key on invitations (organization_id, email) where (closed_at is null);
create unique index invitations_token_key on invitations (token_hash);

-- The value of a feature flag for one organization, or its default value.
-- Export: yes. Growth: one per flag and organization.
create table feature_flags (
  flag_key text not null,
  organization_id uuid,
  enabled boolean not null,
  value jsonb,
  updated_at timestamptz not null,
  foreign key (organization_id) references organizations(id)
);
create index feature_flags_organization_idx on feature_flags (organization_id);
create unique index feature_flags_key on feature_flags (flag_key, organization_id) nulls not distinct;

-- The stored configuration of an OAuth or mail provider; its secret is sealed.
-- Export: yes. Growth: one per provider.
create table provider_configs (
  provider text not null,
  enabled boolean not null,
  public_config jsonb not null,
  sealed_secret text,
  updated_at timestamptz not null,
  primary key (provider)
);

-- A webhook: a URL that gets events of an organization. Without organization: one of the platform's own.
-- Export: yes. Growth: rows where deleted_at is not null are deleted after 90 days.
create table webhooks (
  id uuid not null,
  organization_id uuid,
  url text not null,
  description text not null,
  events text[] not null,
  enabled boolean not null,
  disabled_reason text,
  failing_since timestamptz,
  created_by uuid not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (id),
  foreign key (created_by) references users(id),
  foreign key (organization_id) references organizations(id)
);
create index webhooks_creator_idx on webhooks (created_by) where enabled;
create index webhooks_deleted_idx on webhooks (deleted_at) where (deleted_at is not null);
create index webhooks_organization_idx on webhooks (organization_id) where (deleted_at is null);

-- A secret that signs the deliveries of a webhook, sealed.
-- Export: yes. Growth: at most two per webhook.
create table webhook_secrets (
  id uuid not null,
  webhook_id uuid not null,
  sealed_secret text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (id),
  foreign key (webhook_id) references webhooks(id) on delete cascade
);
create index webhook_secrets_expiry_idx on webhook_secrets (expires_at) where (expires_at is not null);
create index webhook_secrets_webhook_idx on webhook_secrets (webhook_id);

-- A sealed key that is needed to verify password hashes imported from another service.
-- Export: yes. Growth: with each import from another service.
create table foreign_hash_keys (
  id uuid not null,
  sealed_key text not null,
  created_at timestamptz not null,
  primary key (id)
);

-- A step that happens once per database, such as naming the initial owner.
-- Export: yes. Growth: one per step.
create table milestones (
  name text not null,
  reached_at timestamptz not null,
  primary key (name)
);

-- An event of the audit trail. Triggers enforce that rows are only added; one partition per month.
-- Export: yes. Growth: with user activity; an operator detaches old months.
create table audit_events (
  id bigint generated always as identity not null,
  event_id uuid not null,
  timestamp timestamptz not null,
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
  xid xid8 default pg_current_xact_id() not null,
  visibility text,
  primary key (id, "timestamp")
) partition by range ("timestamp");
create index audit_events_action_idx on audit_events (action, id) include ("timestamp");
create index audit_events_actor_idx on audit_events (actor_id, id) include ("timestamp", action);
create index audit_events_failed_idx on audit_events (outcome, id) include ("timestamp", action) where (outcome <> 'success');
create index audit_events_organization_idx on audit_events (organization_id, id) include ("timestamp", action, actor_id, visibility) where ((organization_id <> '00000000-0000-0000-0000-000000000000') and (coalesce(visibility,
case
    when (action in ('org.suspended', 'org.restored')) then 'redacted'
    when ((request_id is null) or (metadata @> '{"reason": "administrator"}') or (action in ('org.created', 'org.updated', 'user.disabled', 'user.enabled', 'user.deleted', 'platform_role.changed', 'mfa.reset', 'feature_flag.updated', 'feature_flag.deleted', 'integration.updated', 'integration.tested', 'audit.exported'))) then 'hidden'
    else 'full'
end) <> 'hidden'));
create index audit_events_resource_idx on audit_events (resource_id, id) include ("timestamp", resource_type);
create index audit_events_resource_type_idx on audit_events (resource_type, id) include ("timestamp");
create index audit_events_stream_idx on audit_events (organization_id, xid, id) where ((organization_id <> '00000000-0000-0000-0000-000000000000') and (coalesce(visibility,
case
    when (action in ('org.suspended', 'org.restored')) then 'redacted'
    when ((request_id is null) or (metadata @> '{"reason": "administrator"}') or (action in ('org.created', 'org.updated', 'user.disabled', 'user.enabled', 'user.deleted', 'platform_role.changed', 'mfa.reset', 'feature_flag.updated', 'feature_flag.deleted', 'integration.updated', 'integration.tested', 'audit.exported'))) then 'hidden'
    else 'full'
end) <> 'hidden'));
create index audit_events_tenant_idx on audit_events (organization_id, id) include ("timestamp");
create index audit_events_xid_idx on audit_events (xid);
create trigger audit_events_append_only before delete or update on audit_events for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events for each statement execute function refuse_audit_change();

-- A session: a user signed in to an organization, and the current refresh token of its family.
-- Export: no; all users sign in again. Growth: rows are deleted after SESSION_MAX_AGE plus 90 days.
create table sessions (
  id uuid not null,
  user_id uuid not null,
  organization_id uuid not null,
  auth_method text not null,
  aal text not null,
  auth_time timestamptz not null,
  mfa_verified_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  access_expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  revoked_at timestamptz,
  refresh_jti uuid,
  first_factor text,
  own_credentials text[] default '{}' not null,
  restricted boolean default false not null,
  trusted_browser_id uuid,
  connection_id uuid,
  primary key (id),
  check (aal in ('aal1', 'aal2')),
  foreign key (organization_id) references organizations(id),
  foreign key (user_id) references users(id)
) with (fillfactor=80);
create index sessions_connection_idx on sessions (connection_id, id) where ((connection_id is not null) and (revoked_at is null));
create index sessions_ended_idx on sessions (user_id, id) where (revoked_at is not null);
create index sessions_organization_idx on sessions (organization_id) where (revoked_at is null);
create index sessions_user_idx on sessions (user_id, id) where (revoked_at is null);

-- A refresh token used moments ago: a second use is treated as a concurrent request, not as theft.
-- Export: no; all users sign in again. Growth: rows are deleted within a day.
create table refresh_uses (
  jti uuid not null,
  used_at timestamptz not null,
  primary key (jti)
);
create index refresh_uses_time_idx on refresh_uses (used_at);

-- A revoked session whose access tokens have not expired: the revocation feed.
-- Export: no; all users sign in again. Growth: rows are deleted within a day.
create table revocations (
  sid uuid not null,
  revoked_at timestamptz not null,
  expires_at timestamptz not null,
  xid xid8 default pg_current_xact_id(),
  primary key (sid)
);
create index revocations_expiry_idx on revocations (expires_at);

-- A change of roles that makes older access tokens stale: the second list of the revocation feed.
-- Export: no; all users sign in again. Growth: rows are deleted within a day.
create table refreshes (
  id bigint generated always as identity not null,
  key text not null,
  before bigint,
  expires_at timestamptz not null,
  xid xid8,
  primary key (id)
);
create index refreshes_expiry_idx on refreshes (expires_at);
create index refreshes_key_idx on refreshes (key, before);
create index refreshes_pending_idx on refreshes (id) where (before is null);
create index refreshes_xid_idx on refreshes (xid);

-- A key pair that signs access tokens; the private key is sealed.
-- Export: no; the new service signs with a key of its own. Growth: rows where published_until is not null are deleted after 7 days.
create table signing_keys (
  kid text not null,
  public_jwk jsonb not null,
  sealed_private_key text,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  published_until timestamptz,
  restricted_jwk jsonb,
  sealed_restricted_key text,
  replaces_sealed boolean default false not null,
  primary key (kid)
);

-- A key pair that signs the tokens of applications; the private key is sealed.
-- Export: no; the new service signs with a key of its own. Growth: rows where published_until is not null are deleted after 7 days.
create table application_keys (
  kid text not null,
  public_jwk jsonb not null,
  sealed_private_key text,
  created_at timestamptz not null,
  signs_from timestamptz not null,
  published_until timestamptz,
  replaces_sealed boolean default false not null,
  primary key (kid)
);

-- The access of one application to one account: the authorization code, hashed, and the tokens issued for it.
-- Export: no; all users sign in again. Growth: rows are deleted after SESSION_MAX_AGE plus 1 days.
create table application_grants (
  id uuid not null,
  application_id uuid not null,
  user_id uuid not null,
  organization_id uuid not null,
  session_id uuid not null,
  scopes text[] not null,
  resource text,
  offline boolean not null,
  first_factor text,
  aal text not null,
  auth_time timestamptz not null,
  nonce text,
  redirect_uri text,
  code_challenge text,
  code_hash bytea,
  code_expires_at timestamptz,
  code_used_at timestamptz,
  refresh_jti uuid,
  created_at timestamptz not null,
  last_used_at timestamptz,
  access_expires_at timestamptz,
  expires_at timestamptz not null,
  ended_at timestamptz,
  connection_id uuid,
  primary key (id),
  unique (code_hash),
  check (aal in ('aal1', 'aal2')),
  foreign key (application_id) references applications(id) on delete cascade,
  foreign key (organization_id) references organizations(id),
  foreign key (user_id) references users(id)
) with (fillfactor=80);
create index application_grants_application_idx on application_grants (application_id);
create index application_grants_ended_idx on application_grants (ended_at) where (ended_at is not null);
create index application_grants_organization_idx on application_grants (organization_id, id) where (ended_at is null);
create index application_grants_session_idx on application_grants (session_id, id) where (ended_at is null);
create index application_grants_user_idx on application_grants (user_id, id) where (ended_at is null);

-- A step of an authorization request that waits for the user.
-- Export: no; sign-ins in progress start again. Growth: rows are deleted within a day.
create table interactions (
  id uuid not null,
  kind text not null,
  browser_hash bytea not null,
  application_id uuid not null,
  user_id uuid,
  request jsonb not null,
  requested_from text,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  primary key (id),
  check (kind in ('sign_in', 'mfa', 'consent', 'organization', 'device', 'logout')),
  foreign key (application_id) references applications(id) on delete cascade,
  foreign key (user_id) references users(id)
);
create index interactions_expiry_idx on interactions (expires_at);

-- A queued or finished mail. Recipient and parameters are sealed, and deleted when the mail is finished.
-- Export: no; only the old service sends the mails that it queued. Growth: rows are deleted after 30 days.
create table mails (
  id uuid not null,
  template text not null,
  locale text not null,
  sealed text,
  state text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  last_error text,
  discard boolean default false not null,
  primary key (id),
  check (state in ('queued', 'sent', 'failed', 'expired'))
);
create index mails_dead_idx on mails (state) where ((state in ('failed', 'expired')) and (not discard));
create index mails_due_idx on mails (next_attempt_at) where (state = 'queued');
create index mails_finished_idx on mails (finished_at) where (state <> 'queued');

-- An event on its way to a webhook, or delivered, or failed.
-- Export: no; only the old service sends the events that it queued. Growth: rows are deleted after 30 days.
create table webhook_deliveries (
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  audit_id bigint,
  event_at timestamptz not null,
  type text not null,
  status text default 'pending' not null,
  attempts integer default 0 not null,
  attempts_before integer default 0 not null,
  last_status integer,
  last_error text,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz not null,
  created_at timestamptz not null,
  delivered_at timestamptz,
  primary key (id),
  foreign key (webhook_id) references webhooks(id) on delete cascade
);
create index webhook_deliveries_created_idx on webhook_deliveries (created_at);
create index webhook_deliveries_due_idx on webhook_deliveries (webhook_id, next_attempt_at, id) where (status = 'pending');
create index webhook_deliveries_list_idx on webhook_deliveries (webhook_id, created_at, id);
create index webhook_deliveries_status_idx on webhook_deliveries (webhook_id, status, created_at, id);

-- A time in which a webhook is enabled, as two snapshots of transaction ids.
-- Export: no; transaction ids of the old database; the new service starts a span for each enabled webhook. Growth: deleted when the deliveries of its events are inserted; at most one open span per webhook.
create table webhook_spans (
  webhook_id uuid not null,
  opened_by xid8 default pg_current_xact_id() not null,
  since pg_snapshot default pg_current_snapshot() not null,
  until pg_snapshot,
  primary key (webhook_id, opened_by),
  foreign key (webhook_id) references webhooks(id) on delete cascade
);

-- The order of the stream of events, and the last event for which deliveries were inserted.
-- Export: no; the new database has its own transaction ids. Growth: one row.
create table event_stream (
  only_one boolean default true not null,
  epoch uuid,
  place text,
  old_to bigint default 0 not null,
  sent_xid xid8 default '0' not null,
  sent_id bigint default 0 not null,
  primary key (only_one),
  check (only_one)
);

-- A mailed code or link, hashed: sign-in, password reset, email verification, email change.
-- Export: no; users request new codes and links. Growth: rows are deleted within a day.
create table one_time_tokens (
  kind text not null,
  subject uuid not null,
  token_hash bytea not null,
  user_id uuid,
  email text,
  attempts integer default 0 not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (kind, subject),
  check (kind in ('login_code', 'password_reset', 'email_verification', 'email_change')),
  foreign key (user_id) references users(id)
);
create index one_time_tokens_expiry_idx on one_time_tokens (expires_at);
create unique index one_time_tokens_hash_key on one_time_tokens (token_hash);

-- A sign-in that waits for the second factor, with the number of failed attempts.
-- Export: no; sign-ins in progress start again. Growth: rows are deleted within a day.
create table mfa_tokens (
  jti uuid not null,
  user_id uuid not null,
  attempts integer default 0 not null,
  created_at timestamptz not null,
  burned_at timestamptz,
  kept_until timestamptz not null,
  primary key (jti),
  foreign key (user_id) references users(id)
);
create index mfa_tokens_time_idx on mfa_tokens (kept_until);
create index mfa_tokens_user_idx on mfa_tokens (user_id);

-- A used WebAuthn challenge, kept so that it cannot be used again.
-- Export: no; sign-ins in progress start again. Growth: rows are deleted within a day.
create table passkey_challenges (
  id bytea not null,
  expires_at timestamptz not null,
  primary key (id)
);
create index passkey_challenges_expiry_idx on passkey_challenges (expires_at);

-- A used OAuth state, kept so that it cannot be used again.
-- Export: no; sign-ins in progress start again. Growth: rows are deleted within a day.
create table oauth_states (
  id bytea not null,
  expires_at timestamptz not null,
  primary key (id)
);
create index oauth_states_expiry_idx on oauth_states (expires_at);

-- A counter of a rate limit; the key is hashed.
-- Export: no; limits start at zero. Growth: rows are deleted within a day.
create table rate_counters (
  key bytea not null,
  count integer not null,
  resets_at timestamptz not null,
  primary key (key)
);
create index rate_counters_expiry_idx on rate_counters (resets_at);

-- A message to the other replicas about a stale cache entry.
-- Export: no; messages between replicas of the old service. Growth: rows are deleted within a day.
create table bus_events (
  id bigint generated always as identity not null,
  topic text not null,
  key text not null,
  created_at timestamptz not null,
  xid xid8 default pg_current_xact_id() not null,
  primary key (id)
);
create index bus_events_created_idx on bus_events (created_at);
create index bus_events_xid_idx on bus_events (xid);

-- A process that serves this database, until it stops or has not been seen for a day.
-- Export: no; processes of the old service. Growth: one per running process; each start removes those of the last day before.
create table replicas (
  id uuid not null,
  kid text not null,
  seen_at timestamptz not null,
  primary key (id)
);

-- A lease: a kind of background work that one replica performs until the lease expires.
-- Export: no; leases of replicas of the old service. Growth: one per kind of work.
create table turns (
  name text not null,
  taken_until timestamptz not null,
  primary key (name)
);

-- A copy of the last sign-in of a user, by which the list of users can be sorted.
-- Export: no; recomputed. Growth: one per user.
create table user_logins (
  user_id uuid not null,
  last_login_at timestamptz,
  primary key (user_id)
);
create index user_logins_earliest_idx on user_logins (last_login_at, user_id);
create index user_logins_latest_idx on user_logins (last_login_at desc nulls last, user_id desc);

-- A change in the number of users with a status; the number is the sum of the rows.
-- Export: no; recomputed. Growth: merged down to 3 rows.
create table user_counts (
  status text not null,
  delta bigint not null
);

-- A change in the number of password hashes with the same parameters; the number is the sum of the rows.
-- Export: no; recomputed. Growth: merged down to 2 rows.
create table password_counts (
  head text not null,
  delta bigint not null
);

-- The number of audit events of one action in one hour.
-- Export: no; recomputed. Growth: with the audit trail.
create table audit_hours (
  action text not null,
  hour timestamptz not null,
  count bigint not null,
  least_id bigint not null,
  greatest_id bigint not null,
  sign_ins bigint not null,
  failed_sign_ins bigint not null,
  primary key (action, hour)
);

-- The last audit event that audit_hours has counted.
-- Export: no; recomputed. Growth: one row.
create table audit_mark (
  only_one boolean default true not null,
  counted_before xid8 not null,
  counted_to bigint not null,
  primary key (only_one),
  check (only_one)
);

-- The position of an import in a file of an export, so that it can resume.
-- Export: no; describes imports into the old database. Growth: with each import.
create table imports (
  export_id uuid not null,
  file text not null,
  lines bigint not null,
  finished_at timestamptz,
  primary key (export_id, file)
);

-- An applied migration.
-- Export: no; the new database has its own. Growth: one per migration.
create table schema_migrations (
  version integer not null,
  name text not null,
  applied_at timestamptz not null,
  primary key (version)
);

-- Functions:
--   copy_last_login() returns trigger
--   count_password_change() returns trigger
--   count_passwords() returns trigger
--   count_user_change() returns trigger
--   count_users() returns trigger
--   ensure_audit_month(month timestamptz) returns void
--   held_roles(of_organization uuid, of_user uuid) returns json
--   password_head(stored text) returns text
--   refuse_audit_change() returns trigger

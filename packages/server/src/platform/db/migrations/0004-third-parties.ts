/** Linked identities, third-party sign-ins in progress, and provider configuration. */
export const thirdParties = {
  version: 4,
  name: 'third-parties',
  sql: `
-- Who somebody is elsewhere. Never found by its email.
create table identities (
  id uuid primary key,
  user_id uuid not null references users,
  provider text not null,
  issuer text not null,
  -- Null once revoked, like the email: the same person may link it again, here or to another account.
  subject text,
  email text,
  linked_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create unique index identities_subject_key on identities (provider, issuer, subject);
create index identities_user_idx on identities (user_id);
create index identities_revoked_idx on identities (revoked_at) where revoked_at is not null;

-- A state carries its own flow under our seal: nothing is kept of it until it comes back, and then only that it has.
create table oauth_states (
  id bytea primary key,
  expires_at timestamptz not null
);
create index oauth_states_expiry_idx on oauth_states (expires_at);

create table provider_configs (
  provider text primary key,
  enabled boolean not null,
  public_config jsonb not null,
  sealed_secret text,
  updated_at timestamptz not null
);
`,
};

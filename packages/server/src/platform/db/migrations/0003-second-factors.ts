/** TOTP, recovery codes, pending sign-ins, passkeys. */
export const secondFactors = {
  version: 3,
  name: 'second-factors',
  sql: `
-- One authenticator app for each person. Whether it counts is said by users.mfa_enabled_at alone.
create table totp_secrets (
  user_id uuid primary key references users,
  sealed_secret text not null,
  created_at timestamptz not null,
  -- A setup that waits for its first code; null once that has come.
  pending_until timestamptz,
  -- Steps whose code was taken, as far as they could still be tried.
  used_steps integer[] not null default '{}'
);

create table recovery_codes (
  user_id uuid not null references users,
  code_hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Half sign-ins: the first factor was right, the second is awaited. Kept until nobody can bring the token any more.
create table mfa_tokens (
  jti uuid primary key,
  user_id uuid not null references users,
  attempts integer not null default 0,
  created_at timestamptz not null,
  burned_at timestamptz,
  kept_until timestamptz not null
);
create index mfa_tokens_user_idx on mfa_tokens (user_id);
create index mfa_tokens_time_idx on mfa_tokens (kept_until);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users,
  -- Null once revoked, like the key: the same authenticator may be added again.
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
  revoked_at timestamptz
);
create unique index passkeys_credential_key on passkeys (credential_id);
create index passkeys_user_idx on passkeys (user_id);
create index passkeys_revoked_idx on passkeys (revoked_at) where revoked_at is not null;

-- A challenge carries its own purpose and end under our seal: nothing is kept of it until it comes back, and then only
-- that it has, until it would have ended.
create table passkey_challenges (
  id bytea primary key,
  expires_at timestamptz not null
);
create index passkey_challenges_expiry_idx on passkey_challenges (expires_at);

create index trusted_browsers_end_idx on trusted_browsers (coalesce(revoked_at, expires_at));
`,
};

/** What sign-in needs: passwords, refresh tokens, one-time tokens, trusted browsers, avatars. */
export const accounts = {
  version: 2,
  name: 'accounts',
  sql: `
alter table users
  add column password_hash text,
  add column last_password_change_at timestamptz,
  add column last_login_at timestamptz,
  add column last_organization_id uuid references organizations,
  add column mfa_enabled_at timestamptz,
  add column avatar_id text;
-- A sign-in writes to the row of its user: with room on the page that touches no index.
alter table users set (fillfactor = 85);

-- The one refresh token of the family that is not used yet. Each rotation slides expires_at: an index on it would be
-- written every time, and ids of sessions begin with their time, so the sweeper needs none.
alter table sessions add column refresh_jti uuid;
drop index sessions_expiry_idx;
drop index sessions_user_idx;
create index sessions_user_idx on sessions (user_id, id) where revoked_at is null;
alter table sessions set (fillfactor = 80);

-- Refresh tokens that were used a moment ago: a second use is another tab, not theft. Swept within minutes.
create table refresh_uses (
  jti uuid primary key,
  used_at timestamptz not null
);
create index refresh_uses_time_idx on refresh_uses (used_at);

-- What goes out by mail and comes back once. One of a kind for each subject: a new one takes the place of the old.
-- The subject is a user, or for an address without an account an id derived from it, so that both cost the same.
create table one_time_tokens (
  kind text not null check (kind in ('login_code', 'password_reset', 'email_verification', 'email_change')),
  subject uuid not null,
  token_hash bytea not null,
  user_id uuid references users,
  email text,
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (kind, subject)
);
create unique index one_time_tokens_hash_key on one_time_tokens (token_hash);
create index one_time_tokens_expiry_idx on one_time_tokens (expires_at);

create table trusted_browsers (
  id uuid primary key,
  user_id uuid not null references users,
  token_hash bytea,
  name text not null,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create unique index trusted_browsers_token_key on trusted_browsers (token_hash);
create index trusted_browsers_user_idx on trusted_browsers (user_id);

create table avatars (
  id text primary key,
  user_id uuid not null references users,
  image bytea not null,
  created_at timestamptz not null
);
create index avatars_user_idx on avatars (user_id);

-- What may happen once in the life of a database.
create table milestones (
  name text primary key,
  reached_at timestamptz not null
);

-- Written for an address without an account, so that asking costs the same; the worker lets it fall.
alter table mails add column discard boolean not null default false;
`,
};

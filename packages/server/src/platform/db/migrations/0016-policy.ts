/** The policy of an organization, and what a session must store to be checked against it. */
export const policy = {
  version: 16,
  name: 'policy',
  sql: `
-- Null: every rule has its default.
alter table organizations add column policy jsonb;

-- \`restricted\`: the policy requires a second factor that the session does not have.
alter table sessions add column restricted boolean not null default false;
-- The trusted browser that replaced the second factor.
alter table sessions add column trusted_browser_id uuid;

-- The key pair that signs the access tokens of restricted sessions. It is never published. Null until one is needed.
alter table signing_keys add column restricted_jwk jsonb;
alter table signing_keys add column sealed_restricted_key text;
`,
};

/** What a session has proved or added, stored while the email of its user is not verified. */
export const mailbox = {
  version: 8,
  name: 'mailbox',
  sql: `
-- What the sign-in began with. Null for sessions of the version before: \`auth_method\` says it unless a second factor followed.
alter table sessions add column first_factor text;
-- 'password', and the ids of passkeys and identities, that this session has proved or added.
alter table sessions add column own_credentials text[] not null default '{}';
`,
};

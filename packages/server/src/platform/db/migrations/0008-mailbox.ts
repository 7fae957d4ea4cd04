/** What a session has proved or added, stored while the email of its user is not verified. */
export const mailbox = {
  version: 8,
  name: 'mailbox',
  sql: `
-- The first factor of the sign-in. Null for sessions opened by the previous version, where \`auth_method\` is the first
-- factor unless a second one was verified.
alter table sessions add column first_factor text;
-- The credentials that this session has verified or added: 'password', and the ids of passkeys and identities.
alter table sessions add column own_credentials text[] not null default '{}';
`,
};

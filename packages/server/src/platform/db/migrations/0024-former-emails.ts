/** The emails of former members, whom single sign-on does not add again. */
export const formerEmails = {
  version: 24,
  name: 'former-emails',
  sql: `
-- The email of the user when the membership ended. Null: not ended, or ended before this column existed.
alter table memberships add column revoked_email text;
`,
};

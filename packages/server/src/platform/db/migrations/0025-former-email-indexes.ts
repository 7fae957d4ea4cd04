/** For a first sign-in by single sign-on, which looks for a former member with the same email. */
export const formerEmailIndexes = {
  version: 25,
  name: 'former-email-indexes',
  indexes: [
    {
      name: 'memberships_revoked_email_idx',
      on: 'memberships (organization_id, revoked_email) where revoked_email is not null',
    },
  ],
};

export const text = {
  title: 'Your account',
  lead: (organization: string) => `You’re signed in to ${organization} with single sign-on.`,
  about: 'Account',
  name: 'Name',
  email: 'Email',
  organization: 'Organization',
  role: 'Role',
  limits: 'What this session can do',
  limitsLead: (organization: string) =>
    `This session belongs to ${organization}. You can use its pages, but you can’t change your account or open your other organizations.`,
  other: 'To do so, sign out and sign in another way, such as with a password, a passkey or a code by email.',
  signOut: 'Sign out and sign in another way',
  toOrganization: (organization: string) => `Open ${organization}`,
};
export type Text = typeof text;

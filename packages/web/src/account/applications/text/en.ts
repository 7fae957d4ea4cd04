export const text = {
  title: 'Applications',
  lead: 'Other software that you use with this account.',
  panel: 'Applications with access',
  list: 'Applications with access',
  empty: 'No applications yet',
  emptyHint: 'When you sign in to other software with this account, it appears here.',
  granted: 'Access since',
  lastUsed: 'last used',
  revoke: 'Remove access',
  revokeLabel: (name: string) => `Remove access: ${name}`,
  revokeTitle: (name: string) => `Remove access for ${name}?`,
  revokeQuestion: (name: string) =>
    `${name} loses access to your account immediately and is signed out. The next time you use it, it has to ask for your permission again. Data that it has already stored is not deleted.`,
  revoked: (name: string) => `${name} no longer has access.`,
};
export type Text = typeof text;

export const text = {
  scopes: {
    openid: 'Recognize you when you sign in',
    profile: 'See your name, profile picture and language',
    email: 'See your email address',
    offline_access: 'Keep this access while you are not using the application, until you remove it',
    organization: 'See the organization you choose, and your roles in it',
  },
  permission: (name: string) => `Use your permission “${name}” in the organization you choose`,
};
export type Text = typeof text;

export const text = {
  title: 'Data and deletion',
  lead: 'Download your data, or delete your account.',
  export: {
    title: 'Your data',
    lead: 'A JSON file with your profile, memberships, sessions, sign-in methods, invitations and activity. It contains no passwords or keys.',
    download: 'Download your data',
    done: 'The file has been downloaded.',
    tooMany: 'You’ve downloaded your data several times today.',
  },
  delete: {
    title: 'Delete your account',
    lead: 'This can’t be undone.',
    signsOut: 'You are signed out everywhere and can’t sign in again.',
    endsAccess: 'You lose access to all your organizations. Organizations without another member are suspended.',
    removes:
      'Your name, picture, password, passkeys and linked accounts are removed. The audit trail keeps what you did.',
    blockedTitle: (organization: string) => `You’re the last owner of ${organization}`,
    blocked:
      'Your account can’t be deleted while the organization has other members. First make one of them an owner, or remove them.',
    toMembers: 'View members',
    alone: (organization: string) => `You’re the only member of ${organization}: it will be suspended.`,
    elsewhere: (organization: string) =>
      `You’re an owner of ${organization}. If it has other members but no other owner, switch to it and make someone else an owner first.`,
    platformOwner:
      'You’re a platform owner. If you’re the last one, first make someone else a platform owner in the console.',
    open: 'Delete account …',
    ask: 'Delete your account?',
    question: 'Your account and your access to all organizations are removed permanently.',
    typed: (email: string) => `Type ${email} to confirm`,
    password: 'Your password',
    wrongPassword: 'The password is incorrect.',
    locked: 'Too many wrong passwords.',
    lastOwner:
      'You’re the last owner of an organization with other members. First make someone else an owner there, under “Members”.',
    lastPlatformOwner:
      'You’re the last platform owner, or the last owner of an organization with other members. First give that role to someone else.',
    verb: 'Delete account',
  },
};
export type Text = typeof text;

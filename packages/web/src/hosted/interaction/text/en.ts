export const text = {
  signedInAs: (email: string) => `You are signed in as ${email}.`,
  organization: (name: string) => `Organization: ${name}`,
  consent: {
    title: (application: string) => `Allow ${application} to use your account?`,
    lead: (application: string) => `If you allow this, ${application} can:`,
    list: 'What the application can do',
    nothing: 'Sign you in, and nothing else',
    later: 'You can remove this access at any time in your account, under “Applications”.',
    allow: 'Allow',
    deny: 'Don’t allow',
  },
  organizations: {
    title: 'Choose an organization',
    lead: (application: string) => `${application} will act for you in this organization.`,
    legend: 'For which organization?',
    deny: 'Cancel',
  },
  secondFactor: {
    lead: (application: string) => `${application} requires a second step.`,
    enrolTitle: 'Turn on two-step verification',
    enrol: (application: string) =>
      `${application} requires two-step verification, and your account doesn’t have it yet. Turn it on in your account, then return to this page and continue.`,
    toSecurity: 'Open “Sign-in and security” in a new tab',
    notYet: 'Your account has no second step yet. Turn it on in the other tab, then continue here.',
    deny: 'Cancel',
  },
  ended: {
    title: 'This request is no longer valid',
    lead: 'It has expired, you have already answered it, or it was started in another browser or by another user. Return to the application and start again.',
  },
  again: {
    title: 'Please sign in again',
    lead: (application: string) => `${application} asks you to sign in again.`,
  },
  fallbackName: 'The application',
};
export type Text = typeof text;

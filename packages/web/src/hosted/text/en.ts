export const text = {
  sentMails: 'Sent emails (development)',
  failedTitle: 'This page cannot be shown right now',
  cannotMail: 'Email can’t be sent right now. Try again later, or contact the administrator of this service.',
  toSignIn: 'Sign in',
  backToSignIn: 'Back to sign-in',
  toAccount: 'Go to your account',
  toHome: 'Go to home page',
  notNow: 'Not now',
  sendIn: (label: string, seconds: number) => `${label} (in ${seconds} s)`,
  deadLinkTitle: 'This link is no longer valid',
  yourName: 'Your name (optional)',
  here: {
    title: 'You are signed in',
    as: (email: string) => `You are signed in as ${email}.`,
    somebodyElse: 'Sign in with another account',
  },
  signIn: {
    title: 'Sign in',
    continueTo: (application: string) => `to continue to ${application}`,
    submit: 'Sign in',
    wrong: 'The email or password is incorrect. Check both and try again.',
    newPassword: 'Choose a new password',
    notAMember:
      'You can’t sign in to any organization this way: yours is suspended, you’re no longer a member, or its sign-in rules don’t allow this method. Try another method, or ask your administrator.',
    reloaded: 'The page was reloaded during the sign-in. Please sign in again.',
    ended:
      'Your session expired or was ended, for example in another tab or on another device. Sign in to continue where you left off.',
    forgot: 'Forgot your password?',
    or: 'or',
    passkey: 'Sign in with a passkey',
    passkeyFailed:
      'No passkey was used. You may have cancelled, or this device has no passkey for this site. Try again, or sign in another way.',
    passkeyUnknown: 'This passkey is not registered here, or was removed. Try another one, or sign in another way.',
    emailCode: 'Get a code by email',
    ssoRequired: 'Your organization requires single sign-on for this address.',
    ssoOtherWayHint: 'If you’re an owner and single sign-on doesn’t work, or to sign in to another organization:',
    ssoOtherWay: 'Sign in another way',
    noAccount: 'No account yet?',
    register: 'Create an organization',
  },
  code: {
    title: 'Sign in with a code',
    lead: 'We’ll email you a six-digit code. You can sign in with it without a password.',
    send: 'Send code',
    enterTitle: 'Enter the code',
    sent: (email: string) =>
      `If there’s an account for ${email}, we’ve sent a code to it. The code is valid for ten minutes. Check your spam folder too.`,
    label: 'Code from the email',
    hint: 'Six digits',
    wrong:
      'The code is incorrect or has expired, or there were too many attempts. Use the code from the latest email, or get a new one.',
    again: 'Send a new code',
    sentAgain: 'We’ve sent a new code. The previous one no longer works.',
    otherWay: 'Sign in another way',
  },
  thirdParty: {
    continueWith: (name: string) => `Continue with ${name}`,
  },
};
export type Text = typeof text;

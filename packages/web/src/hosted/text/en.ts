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
    ended: 'Your session has ended. Sign in to continue where you left off.',
    forgot: 'Forgot your password?',
    or: 'or',
    passkey: 'Sign in with a passkey',
    passkeyFailed:
      'No passkey was used. You may have cancelled, or this device has no passkey for this site. Try again, or sign in another way.',
    passkeyUnknown: 'This passkey is not registered here, or was removed. Try another one, or sign in another way.',
    emailCode: 'Get a code by email',
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
  mfa: {
    title: 'Two-step verification',
    leads: {
      code: 'Open your authenticator app and enter the code it shows for this account.',
      recovery_code:
        'Enter one of the recovery codes you saved when you turned on two-step verification. Each works once.',
    },
    code: 'Code from your authenticator app',
    codeHint: 'Six digits that change every 30 seconds.',
    recoveryCode: 'Recovery code',
    recoveryHint: 'You can use upper or lower case, with or without hyphens.',
    use: { code: 'Use the authenticator app', recovery_code: 'Use a recovery code' },
    trust: 'Trust this browser for 30 days',
    trustHint: 'You won’t be asked for a code in this browser. Only do this on your own device.',
    wrong: {
      code: 'This code is incorrect or was already used. Wait for the next one and try again.',
      recovery_code: 'This recovery code is incorrect or was already used. Try another one.',
    },
    tooOften: {
      code: 'Too many incorrect codes were entered for this account. A recovery code still works.',
      recovery_code:
        'Too many incorrect recovery codes were entered for this account. The authenticator app still works.',
    },
    locked: 'Too many incorrect codes. For your security, please start the sign-in again.',
    expired: 'The sign-in took longer than five minutes. Please start again.',
    startAgain: 'Start again',
    againTitle: 'Please sign in again',
    account: 'You are signing in as',
    usePasskey: 'Use a passkey instead',
    nothing: 'No sign-in is in progress on this page. It may have been reloaded.',
    notMine: {
      summary: 'Didn’t turn on two-step verification yourself?',
      text: 'Someone else may have created this account with your email address, and turned on two-step verification. To get the account back, request a link to choose a new password. On the page that the link opens, select “Also remove two-step verification that I did not set up”.',
      link: 'Request the link',
    },
  },
  thirdParty: {
    continueWith: (name: string) => `Continue with ${name}`,
  },
};
export type Text = typeof text;

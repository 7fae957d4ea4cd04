import type { OAuthFailure } from '@gatehouse/contract';
import type { Over } from '../../invitation/find.ts';

const failures: Readonly<Record<OAuthFailure, string>> = {
  account_exists:
    'An account with this email address already exists. Sign in as you did before, then link this provider in your account, under “Sign-in and security”.',
  identity_in_use:
    'This provider account is already linked to a different user here. To link it to your account, sign in as that user and unlink it first.',
  email_missing:
    'We didn’t receive a usable email address from the provider. Allow access to it and try again, or sign in another way.',
  registration_closed: 'You don’t have an account here yet, and registration is closed. Ask for an invitation.',
  access_denied: 'You cancelled the sign-in at the provider. Try again and allow access there, or sign in another way.',
  invalid_state: 'This sign-in took too long, was already used, or was started in another browser. Please start again.',
  provider_error: 'The provider did not respond as expected. Try again later, or sign in another way.',
  account_refused:
    'You can’t sign in to this account this way. The account may be disabled, its organization may be suspended, or the sign-in rules of the organization may not allow this method. Try another method, or ask your administrator.',
  rate_limited: 'Too many attempts in a short time. Wait a moment and try again, or sign in another way.',
};

/** Replace the sentences above if single sign-on failed. */
const ssoFailures: Readonly<Partial<Record<OAuthFailure, string>>> = {
  identity_in_use:
    'Your account here is linked to another account at your identity provider. Ask an owner of your organization to remove the single sign-on link under “Members”, then try again.',
  email_missing:
    'Your identity provider did not send an email address in a verified domain of your organization. Ask an owner of your organization to check the connection and its domains.',
  access_denied:
    'The sign-in was cancelled at your identity provider. Try again, or ask an owner of your organization whether you have access.',
  provider_error:
    'Your organization’s identity provider did not respond as expected. Try again later, or ask an owner of your organization to test the connection.',
  account_refused:
    'You can’t sign in to this organization with single sign-on. You may not be a member, your account may be disabled, or its email address may be outside the organization’s domains. Ask an owner of your organization for an invitation.',
};

const over: Readonly<Record<Over, { readonly title: string; readonly lead: string }>> = {
  missing: {
    title: 'Incomplete invitation link',
    lead: 'Please open the link again from the email you received.',
  },
  unknown: {
    title: 'Invitation not found',
    lead: 'The link may be incomplete, or a newer invitation has replaced this one. Use the link in the latest email, or ask for a new invitation.',
  },
  accepted: {
    title: 'This invitation was already accepted',
    lead: 'There’s nothing left to do. You’ll find the organization in your account.',
  },
  revoked: {
    title: 'This invitation was revoked',
    lead: 'Someone in the organization revoked it. If that was a mistake, ask for a new one.',
  },
  expired: {
    title: 'This invitation has expired',
    lead: 'Invitations are valid for seven days. Ask the person who invited you to send it again.',
  },
  suspended: {
    title: 'This organization is suspended',
    lead: 'No one can join it for now. Ask the person who invited you.',
  },
  withdrawn: {
    title: 'This invitation is no longer valid',
    lead: 'The person who sent it can no longer invite people. Ask someone else in the organization for a new one.',
  },
};

export const text = {
  home: {
    title: 'Welcome',
    lead: 'Sign in to manage your account and your organization.',
    gettingStarted: {
      title: 'Getting started',
      lead: 'The service runs in development mode. This section is shown only in that mode.',
      register: 'Create an organization',
      registerHint: 'with you as its owner.',
      grant: 'Become platform owner on the command line:',
      console: 'Open the console',
      consoleHint: 'to manage users, organizations and providers, and to read the audit trail.',
      reference: 'API reference',
      openapi: 'OpenAPI document',
      readiness: 'Readiness',
      mails: 'Sent emails',
    },
  },
  reclaim: {
    title: 'Did you set up this account?',
    created: (date: string) => `This account was created on ${date}.`,
    createdFrom: (date: string, device: string) => `This account was created on ${date} from ${device}.`,
    unproven: (credentials: string) =>
      `It also has ${credentials}, which you did not use to sign in now. If you did not set this up yourself, remove it.`,
    credentials: {
      identity: 'a linked account',
      passkey: 'a passkey',
      password: 'a password',
      totp: 'two-step verification',
    },
    list: 'Not used in this sign-in',
    items: {
      password: 'Password',
      totp: 'Two-step verification',
      passkey: (name: string) => `Passkey “${name}”`,
      added: (date: string) => `added on ${date}`,
    },
    removes:
      'Removing it also signs out all other devices, turns off two-step verification, even if you have just set it up, and confirms your email address. You can set up a password and more afterwards.',
    keep: 'Keep and continue',
    remove: 'Remove',
    tooLate: 'More than 15 minutes have passed since you signed in. Sign in with a new code, then choose again.',
    doneTitle: 'Everything was removed',
    done: 'All other devices were signed out, and your email address is confirmed. You can sign in by emailed code at any time.',
    setPassword: 'Set a password',
    members: (organization: string) => `These people are also members of ${organization}`,
    membersAdvice: 'They keep their access. Remove anyone you do not know.',
    more: (count: number) => (count === 1 ? 'and one more' : `and ${count} more`),
    toMembers: 'Manage members',
    organizations: (names: string) =>
      `You also belong to ${names}. Check the members there too: switch to the organization in your account.`,
  },
  register: {
    title: 'Create an organization',
    lead: 'You become its owner and can invite others.',
    organization: 'Organization name',
    organizationHint: 'A company, a team, or just yourself.',
    submit: 'Create organization',
    taken: 'An account with this email address already exists.',
    hasAccount: 'Already have an account?',
    signOut: 'Sign out and register',
    closedTitle: 'Registration is closed',
    closed: 'New accounts are created by invitation only. Ask someone in your organization to invite you.',
    doneTitle: 'Your organization is ready',
    done: (email: string) =>
      `We’ve sent an email to ${email}. Please open the link in it within 24 hours to confirm that the address is yours.`,
  },
  forgot: {
    title: 'Choose a new password',
    lead: 'Enter your email address, and we’ll send you a link.',
    submit: 'Send link',
    sentTitle: 'Check your email',
    sent: (email: string) =>
      `If there’s an account for ${email}, we’ve sent a link to it. The link is valid for one hour. Check your spam folder too.`,
    again: 'Send again',
    sentAgain: 'We’ve sent a new link. The previous one no longer works.',
    other: 'Use another address',
  },
  reset: {
    title: 'Choose a new password',
    lead: 'You’ll be signed out everywhere. Then sign in with the new password.',
    newPassword: 'New password',
    submit: 'Change password',
    doneTitle: 'Your password was changed',
    done: 'You were signed out on all devices. Please sign in with the new password.',
    disown: 'Also remove two-step verification that I did not set up',
    disownHint:
      'For an account that someone else created with your email address. It works only while the address has never been confirmed; otherwise two-step verification stays on.',
    disowned:
      'You were signed out on all devices. If the address had never been confirmed, two-step verification is off now. Please sign in with the new password.',
    dead: 'It was already used, or is more than an hour old. Request a new one.',
    askAgain: 'Get a new link',
  },
  verify: {
    verification: {
      title: 'Is this your email address?',
      lead: (email: string) =>
        `If you created an account here with ${email}, confirm that the address is yours. If you didn’t, close this page: someone else entered your address.`,
      submit: 'Confirm address',
      doneTitle: 'Your address is confirmed',
      done: (email: string) => `${email} belongs to your account. There’s nothing left to do.`,
      ask: (email: string) => `An account for ${email} is waiting for confirmation.`,
      mine: 'This was me: confirm',
      notMine:
        'If you did not create this account, someone else used your address. Confirm the address and remove everything that was set up: password, passkeys, linked accounts, two-step verification and all sessions.',
      disown: 'Not me: confirm and remove everything',
      disownedTitle: 'Everything was removed',
      disowned: (email: string) =>
        `${email} is confirmed, and the person who created the account can no longer sign in. The account is yours: choose a password, or sign in by emailed code.`,
      choosePassword: 'Choose a password',
    },
    change: {
      title: 'Change your email address?',
      lead: (email: string) =>
        `You’ll sign in with ${email} from now on, and we’ll send emails there. If you didn’t ask for this, cancel it.`,
      submit: 'Use this address',
      doneTitle: 'Your address was changed',
      done: (email: string) => `From now on you sign in with ${email}.`,
      disown: 'Not me: cancel this change',
      disownedTitle: 'The change is cancelled',
      disowned: (email: string) => `${email} was not added to any account, and the link no longer works.`,
    },
    taken: 'Another account now uses this address, so yours was not changed.',
    dead: 'It was already used, or is more than a day old. If your address is not confirmed yet, you can get a new link in your account.',
  },
  invitation: {
    title: (organization: string) => `Join ${organization}`,
    lead: ({ by, organization, role, until }: { by: string; organization: string; role: string; until: string }) =>
      `${by} has invited you to ${organization}. Your role: ${role}. The invitation is valid until ${until}.`,
    accept: 'Accept invitation',
    join: 'Create account and join',
    hasAccount: 'Already have an account with this address?',
    signInFirstTitle: 'Sign in to accept',
    signInFirst: (email: string) =>
      `An account with ${email} already exists. Sign in to it, and you’ll come back to the invitation.`,
    forAnother: (invited: string, here: string) =>
      `The invitation is for ${invited}, but you are signed in as ${here}.`,
    signOut: 'Sign out and continue',
    stay: 'Stay signed in',
    resetFirst:
      'Your email address is not confirmed yet. Open the link in the email you received when you registered, or choose a new password by email. Then open the invitation again.',
    joinedTitle: (organization: string) => `You are a member of ${organization}`,
    joined: 'You can switch between your organizations at any time in the menu at the top of the page.',
    joinedSignIn: 'Sign in to open it.',
    enter: (organization: string) => `Go to ${organization}`,
    enterLater: 'Stay in your current organization',
    over,
  },
  signedOut: {
    title: 'You are signed out',
    lead: 'To use your account in this browser, sign in again.',
    again: 'Sign in again',
  },
  secondFactor: {
    enrolTitle: 'Set up two-step verification',
    enrolLead: (organization: string) =>
      `${organization} requires a second step when you sign in. Set it up once to continue.`,
    verifyTitle: 'Confirm it’s you',
    verifyLead: (organization: string) => `${organization} requires your second step.`,
    scan: 'Scan this with an authenticator app, such as the one in your password manager.',
    qrCode: 'QR code for your authenticator app',
    type: 'Or enter this key in the app:',
    code: 'Code shown in the app',
    codeHint: 'Six digits that change every 30 seconds.',
    turnOn: 'Turn on',
    wrong: 'This code is incorrect. Check that the clock of your phone is correct.',
    locked: 'Too many incorrect codes in a row.',
    over: 'This took more than ten minutes, or two-step verification was turned on elsewhere.',
    startAgain: 'Start again',
    changed: 'Two-step verification was turned on elsewhere. Reload the page.',
    signInAgain: 'You signed in too long ago to set up a second step. Sign out, then sign in again.',
    codesTitle: 'Save your recovery codes',
    codesLead:
      'If you don’t have your phone, you can sign in with one of these. Each works once. They won’t be shown again.',
    codes: 'Recovery codes',
    file: 'recovery-codes.txt',
    kept: 'I have saved them in a safe place',
    keptHint: 'For example in your password manager.',
    enter: (organization: string) => `Go to ${organization} instead`,
    refused: 'You can’t switch to this organization: its sign-in rules don’t allow it.',
    signOut: 'Sign out',
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
      text: 'Someone else may have created this account with your email address, and turned on two-step verification. To get the account back, request a link to choose a new password. On the page that the link opens, select “Also remove two-step verification that I did not set up”. The link in the email that asks you to confirm the address also works: select “Not me: confirm and remove everything”.',
      link: 'Request the link',
    },
  },
  failures,
  ssoFailures,
};
export type Text = typeof text;

import type { OAuthFailure } from '@gatehouse/contract';
import type { Over } from '../invitation/find.ts';

const failures: Readonly<Record<OAuthFailure, string>> = {
  account_exists:
    'There is an account with that email address already. Sign in the way you did before, then link the other one in your account, under “Sign-in and security”.',
  identity_in_use:
    'That sign-in belongs to another account here. To link it to yours, sign in to the other account and unlink it there first.',
  email_missing:
    'No email address came along that could be used. Allow the other side to tell it to us and try again, or sign in another way.',
  registration_closed: 'There is no account for you here yet, and registration is closed. Ask for an invitation.',
  access_denied:
    'You did not agree on the other side, so nothing was done. Begin again and agree there, or sign in another way.',
  invalid_state: 'This sign-in took too long, was used already, or was begun in another browser. Please begin again.',
  provider_error: 'The other side did not answer as it should. Try again in a little while, or sign in another way.',
  account_refused:
    'This account cannot be signed in to. It may be disabled, or its organization suspended. Ask whoever looks after it.',
  rate_limited: 'That was too often in a short time. Please wait a little and try again, or sign in another way.',
};

const over: Readonly<Record<Over, { readonly title: string; readonly lead: string }>> = {
  missing: {
    title: 'Which invitation?',
    lead: 'The link is not complete. Please open it once more from the mail you were sent.',
  },
  unknown: {
    title: 'This invitation is not known',
    lead: 'The link may be cut off, or a newer invitation has taken its place. Look for the latest mail, or ask for a new one.',
  },
  accepted: {
    title: 'This invitation has been accepted',
    lead: 'There is nothing left to do. You will find the organization in your account.',
  },
  revoked: {
    title: 'This invitation has been withdrawn',
    lead: 'Somebody in the organization has taken it back. If that was a mistake, ask for a new one.',
  },
  expired: {
    title: 'This invitation has run out',
    lead: 'Invitations are good for seven days. Ask whoever invited you to send it again.',
  },
  suspended: {
    title: 'This organization is suspended',
    lead: 'Nobody can join it for now. Ask whoever invited you.',
  },
  withdrawn: {
    title: 'This invitation does not count any more',
    lead: 'Whoever sent it may no longer invite people. Ask somebody else in the organization for a new one.',
  },
};

export const text = {
  sentMails: 'Sent mails (development)',
  failedTitle: 'This page cannot be shown right now',
  cannotMail: 'No mail can be sent right now. Try again later, or ask whoever runs this service.',
  toSignIn: 'Sign in',
  backToSignIn: 'Back to sign-in',
  toAccount: 'To your account',
  toHome: 'To the start page',
  notNow: 'Not now',
  deadLinkTitle: 'This link does not work any more',
  yourName: 'Your name (optional)',
  home: {
    title: 'Welcome',
    lead: 'Sign in to manage your account and your organization.',
    newcomer: {
      title: 'New here?',
      lead: 'This service runs in development; only then does this part show.',
      register: 'Create an organization',
      registerHint: 'with you as its owner.',
      grant: 'Become platform owner, on the command line:',
      console: 'Open the console',
      consoleHint: 'for users, organizations, providers and the audit trail.',
      reference: 'API reference',
      openapi: 'OpenAPI document',
      readiness: 'Readiness',
      mails: 'Sent mails',
    },
  },
  here: {
    title: 'You are signed in',
    as: (email: string) => `You are signed in as ${email}.`,
    somebodyElse: 'Sign in as somebody else',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    wrong: 'Email or password is not right. If you have forgotten the password, you can choose a new one.',
    noSeat:
      'You are who you say, but no organization lets you in: yours is suspended, or you are not a member any more. Ask its owner.',
    forgot: 'Forgot your password?',
    or: 'or',
    passkey: 'Sign in with a passkey',
    passkeyFailed:
      'No passkey was used. You may have cancelled, or this device has none for here. Try again, or sign in another way.',
    passkeyUnknown: 'This passkey is not known here, or not any more. Try another one, or sign in another way.',
    emailCode: 'Get a code by email',
    noAccount: 'No account yet?',
    register: 'Create an organization',
  },
  code: {
    title: 'Sign in with a code',
    lead: 'We send six digits to your email address. With them you sign in without a password.',
    send: 'Send the code',
    enterTitle: 'Enter the code',
    sent: (email: string) =>
      `If there is an account with ${email}, a code is on its way. It is good for ten minutes; look in the spam folder too.`,
    label: 'Code from the mail',
    hint: 'Six digits',
    wrong: 'This code is not right, has run out, or was tried too often. Look at the latest mail, or get a new code.',
    again: 'Send a new code',
    sentAgain: 'A new code is on its way. The one before does not work any more.',
    otherWay: 'Sign in another way',
  },
  mfa: {
    title: 'Two-step verification',
    leads: {
      code: 'Open your authenticator app and enter the code it shows for this account.',
      recovery_code: 'Enter one of the codes you kept when you turned two-step verification on. Each works once.',
    },
    code: 'Code from your authenticator app',
    codeHint: 'Six digits; they change every 30 seconds.',
    recoveryCode: 'Recovery code',
    recoveryHint: 'Capitals and hyphens do not matter.',
    use: { code: 'Use the authenticator app', recovery_code: 'Use a recovery code' },
    trust: 'Trust this browser for 30 days',
    trustHint: 'You are not asked for a code here then. Only do so on a device of your own.',
    wrong: {
      code: 'This code is not right, or was used already. Wait for the next one and try again.',
      recovery_code: 'This recovery code is not right, or was used already. Try another one.',
    },
    tooOften: {
      code: 'Too many wrong codes have been entered for this account. A recovery code still works.',
      recovery_code:
        'Too many wrong recovery codes have been entered for this account. The authenticator app still works.',
    },
    locked: 'Those were too many wrong codes. For your safety, please begin again from the start.',
    expired: 'That took longer than five minutes. Please begin again from the start.',
    startAgain: 'Begin again',
    againTitle: 'Please sign in again',
    nothing: 'There is no sign-in under way on this page. It may have been reloaded.',
    notMine: {
      summary: 'You did not turn this on?',
      text: 'Someone else may have created this account with your email address, and turned on two-step verification. To get the account back, request a link to choose a new password. On the page that the link opens, select “Also remove two-step verification that I did not set up”.',
      link: 'Request the link',
    },
  },
  reclaim: {
    title: 'Did you set up this account?',
    created: (date: string) => `This account was created on ${date}.`,
    createdFrom: (date: string, device: string) => `This account was created on ${date} from ${device}.`,
    unproven: (credentials: string) =>
      `It has ${credentials} that you haven’t confirmed in this sign-in. If you didn’t set this up, remove it.`,
    credentials: {
      identity: 'a linked account',
      passkey: 'a passkey',
      password: 'a password',
      totp: 'two-step verification',
    },
    list: 'Not confirmed in this sign-in',
    items: {
      password: 'Password',
      totp: 'Two-step verification',
      passkey: (name: string) => `Passkey “${name}”`,
      added: (date: string) => `added on ${date}`,
    },
    removes:
      'Removing it also signs out all other devices and confirms your email address. You can set up a password and more afterwards.',
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
  thirdParty: {
    continueWith: (name: string) => `Continue with ${name}`,
    failures,
  },
  register: {
    title: 'Create an organization',
    lead: 'You become its owner, and can invite others.',
    organization: 'Name of the organization',
    organizationHint: 'A company, a team, or just yourself.',
    submit: 'Create it',
    taken: 'There is an account with this email address already.',
    hasAccount: 'You have an account?',
    signOut: 'Sign out and register anew',
    closedTitle: 'Registration is closed',
    closed: 'New accounts are made by invitation here. Ask somebody in your organization to invite you.',
    doneTitle: 'Your organization is ready',
    done: (email: string) =>
      `A mail is on its way to ${email}. Please follow the link in it within a day, so that we know the address is yours.`,
  },
  forgot: {
    title: 'Choose a new password',
    lead: 'Tell us your email address, and we send you a link.',
    submit: 'Send the link',
    sentTitle: 'Look into your mail',
    sent: (email: string) =>
      `If there is an account with ${email}, a link is on its way. It is good for one hour; look in the spam folder too.`,
    again: 'Send it again',
  },
  reset: {
    title: 'Choose a new password',
    lead: 'You will be signed out everywhere, and sign in with the new one.',
    newPassword: 'New password',
    submit: 'Change the password',
    doneTitle: 'Your password is changed',
    done: 'You were signed out on all devices. Please sign in with the new password.',
    disown: 'Also remove two-step verification that I did not set up',
    disownHint:
      'For an account that someone else created with your email address. It works only while the address has never been confirmed; otherwise two-step verification stays on.',
    disowned:
      'You were signed out on all devices. If the address had never been confirmed, two-step verification is off now. Please sign in with the new password.',
    dead: 'It was used already, or is older than an hour. Ask for a new one.',
    askAgain: 'Get a new link',
  },
  verify: {
    verification: {
      title: 'Is this your email address?',
      lead: (email: string) =>
        `Confirm that ${email} is yours, if you have created an account here with it. If you have not, close this page: somebody else did.`,
      submit: 'Confirm the address',
      doneTitle: 'Your address is confirmed',
      done: (email: string) => `${email} belongs to your account. There is nothing left to do.`,
      ask: (email: string) => `An account for ${email} is waiting for confirmation.`,
      mine: 'This was me: confirm',
      notMine:
        'If you did not create this account, someone else used your address. Confirm the address and remove everything that was set up: password, passkeys, linked accounts, two-step verification and all sessions.',
      disown: 'Not me: confirm and remove everything',
      disownedTitle: 'Everything was removed',
      disowned: (email: string) =>
        `${email} is confirmed, and whoever created the account can no longer sign in. The account is yours: choose a password, or sign in by emailed code.`,
      choosePassword: 'Choose a password',
    },
    change: {
      title: 'Change your email address?',
      lead: (email: string) =>
        `From now on you would sign in with ${email}, and mails would go there. If you have not asked for this, cancel it.`,
      submit: 'Use this address',
      doneTitle: 'Your address is changed',
      done: (email: string) => `From now on you sign in with ${email}.`,
      disown: 'Not me: cancel this change',
      disownedTitle: 'The change is cancelled',
      disowned: (email: string) => `${email} was not added to any account, and the link no longer works.`,
    },
    taken: 'Another account uses this address by now, so yours stays as it is.',
    dead: 'It was used already, or is older than a day. If your address is not confirmed yet, you can get a new link in your account.',
  },
  invitation: {
    title: (organization: string) => `Join ${organization}`,
    lead: ({ by, organization, role, until }: { by: string; organization: string; role: string; until: string }) =>
      `${by} has invited you to ${organization}. Your role: ${role}. The invitation is good until ${until}.`,
    accept: 'Accept the invitation',
    join: 'Create account and join',
    hasAccount: 'You have an account with this address?',
    signInFirstTitle: 'Sign in to accept',
    signInFirst: (email: string) =>
      `There is an account with ${email} already. Sign in with it, and you come back to the invitation.`,
    forAnother: (invited: string, here: string) =>
      `The invitation is for ${invited}, but you are signed in as ${here}.`,
    signOut: 'Sign out and go on',
    stay: 'Stay signed in',
    resetFirst:
      'Your email address is not confirmed yet. Follow the link in the mail you got when you registered, or choose a new password by mail. Then open the invitation again.',
    joinedTitle: (organization: string) => `You are a member of ${organization}`,
    joined: 'You can switch between your organizations at any time, at the top right.',
    joinedSignIn: 'Sign in to go there.',
    enter: (organization: string) => `Go to ${organization}`,
    enterLater: 'Stay in the present one',
    over,
  },
  signedOut: {
    title: 'You are signed out',
    lead: 'In this browser, nobody can get at your account now.',
    again: 'Sign in again',
  },
};
export type Text = typeof text;

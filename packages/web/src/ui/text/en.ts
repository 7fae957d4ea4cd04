import type { FailureCode } from '@gatehouse/client';

const errors: Readonly<Record<FailureCode, string>> = {
  authentication_required: 'You are not signed in any more. Please sign in again.',
  forbidden: 'You are not allowed to do this.',
  not_found: 'This is not there any more. It may have been removed meanwhile.',
  conflict: 'This cannot be done as things stand now. Reload the page to see what has changed.',
  invalid_input: 'Something in what you entered is not right. Please check the fields.',
  rate_limited: 'That was too often in a short time. Please wait a little.',
  mfa_required: 'This asks for your second factor.',
  license_required: 'This asks for a licence that this service does not have.',
  internal_error: 'Something went wrong on our side. Please try again in a moment.',
  csrf_failed:
    'This page has become outdated, perhaps because you signed in again in another tab. Reload it and try again.',
  payment_required: 'This is part of the premium tier, which this service does not have.',
  unreachable: 'The service cannot be reached. Check your connection and try again.',
};

export const text = {
  errors,
  retryIn: (seconds: number) =>
    seconds < 90
      ? `You can try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`
      : `You can try again in ${Math.ceil(seconds / 60)} minutes.`,
  reference: (id: string) => `Reference for support: ${id}`,
  cancel: 'Cancel',
  close: 'Close',
  confirm: 'Confirm',
  continue: 'Continue',
  copied: 'Copied',
  copy: 'Copy',
  download: 'Download',
  loading: 'Loading …',
  print: 'Print',
  remove: 'Remove',
  save: 'Save',
  saved: 'Saved',
  search: 'Search',
  tryAgain: 'Try again',
  email: 'Email',
  password: 'Password',
  showPassword: 'Show password',
  language: 'Language',
  colourScheme: 'Appearance',
  schemes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
  never: 'never',
  justNow: 'just now',
  unknownBrowser: 'Unknown browser',
  on: 'on',
  skip: 'Skip to the content',
  passwordLength: (min: number, max: number) => `${min} to ${max} characters`,
  passwordTooShort: (min: number) => `Use at least ${min} characters. A short sentence works well.`,
  passwordTooLong: (max: number) => `Use at most ${max} characters.`,
  emailWrong: 'Enter an email address such as ada@example.com.',
  required: 'Please fill this in.',
  codeWrong: 'Enter the six digits.',
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  roles: { owner: 'Owner', admin: 'Admin', member: 'Member' },
  platformRoles: { owner: 'Platform owner', admin: 'Platform admin', viewer: 'Platform viewer' },
};
export type Text = typeof text;

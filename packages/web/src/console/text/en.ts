import type { DegradedReason } from '@gatehouse/contract';

interface Trouble {
  readonly why: string;
  /** What to do about it. */
  readonly help: string;
}

const degraded: Readonly<Record<DegradedReason, Trouble>> = {
  fields_missing: { why: 'A setting that it needs is missing.', help: 'Fill in all required fields and save.' },
  secret_missing: { why: 'Its secret is missing.', help: 'Enter the secret and save.' },
  key_unset: {
    why: 'Its secret is sealed, and the service has no key to open it.',
    help: 'Set CONFIG_ENCRYPTION_KEY to the key it was sealed under and restart the service. If that key is lost, set a new one, restart, and save the secret again.',
  },
  key_unknown: {
    why: 'Its secret is sealed under another key than the one the service has.',
    help: 'Put the old key into CONFIG_ENCRYPTION_KEY_PREVIOUS, restart, and run “npx gatehouse config-key rotate”. Or save the secret again.',
  },
  secret_unreadable: { why: 'Its sealed secret is damaged.', help: 'Save the secret again.' },
};

export const text = {
  degraded,
  readOnly: 'You can see everything here. To change something, you need the role of a platform admin.',
  clear: 'Clear the choice',
  searching: 'Searching …',
  nothingFound: 'Nothing found',
};
export type Text = typeof text;

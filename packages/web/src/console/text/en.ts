import type { DegradedReason } from '@gatehouse/contract';

interface Trouble {
  readonly why: string;
  readonly help: string;
}

const degraded: Readonly<Record<DegradedReason, Trouble>> = {
  fields_missing: { why: 'A required setting is missing.', help: 'Fill in all required fields and save.' },
  secret_missing: { why: 'The secret is missing.', help: 'Enter the secret and save.' },
  key_unset: {
    why: 'The secret is encrypted, and the service has no key to decrypt it.',
    help: 'Set CONFIG_ENCRYPTION_KEY to the key it was encrypted with and restart the service. If that key is lost, set a new one, restart, and save the secret again.',
  },
  key_unknown: {
    why: 'The secret is encrypted with a different key than the one the service has.',
    help: 'Set CONFIG_ENCRYPTION_KEY_PREVIOUS to the old key, restart, and run “npx gatehouse config-key rotate”. Or save the secret again.',
  },
  secret_unreadable: { why: 'The encrypted secret is damaged.', help: 'Save the secret again.' },
};

export const text = {
  degraded,
  readOnly: 'You can view everything here. To make changes, you need the platform admin role.',
};
export type Text = typeof text;

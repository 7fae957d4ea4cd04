import { isEmail, normalizeEmail } from '@gatehouse/contract';

interface Address {
  readonly email: string | null;
  /** The provider has verified that the user reads mail at this address. */
  readonly email_verified: boolean;
}

/** What a provider says about a user. The account is found by issuer and subject, never by email. */
export interface Claims extends Address {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  /** How the user was authenticated there (OpenID Connect: `amr`); empty: unknown. */
  readonly amr: readonly string[];
}

/**
 * Returns no email for a value that is not a valid address. If normalization changes more than the case of A to Z, the
 * result is not the address that the provider verified (`K` may be the Kelvin sign, a space part of the name), so it
 * counts as unverified: the mailbox may belong to someone else.
 */
export function addressOf(value: unknown, verified: boolean): Address {
  if (typeof value !== 'string' || !isEmail(value)) return { email: null, email_verified: false };
  const email = normalizeEmail(value);
  const plain = value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return { email, email_verified: verified && email === plain };
}

const MAX_NAME_LENGTH = 120;

export function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null;
  const line = value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  return [...line].slice(0, MAX_NAME_LENGTH).join('').trim() || null;
}

const MAX_SUBJECT_LENGTH = 255;

/** Returns the provider's id of the user, or undefined if the value is not a valid id. */
export function subjectFrom(value: unknown): string | undefined {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const usable = typeof subject === 'string' && subject.length <= MAX_SUBJECT_LENGTH && /^[\x20-\x7e]+$/.test(subject);
  return usable ? subject : undefined;
}

import { isEmail, normalizeEmail } from '@gatehouse/contract';

/** What another service says of somebody, as far as it can be used here. */

interface Address {
  readonly email: string | null;
  /** The other service has made sure that this person reads mail there. */
  readonly email_verified: boolean;
}

/**
 * An address that could not be an account's is none. One that becomes another by our rules, beyond capital letters A to Z, is
 * not what the provider has verified: `K` may be the sign for Kelvin, a blank part of the name, and the mailbox somebody else's.
 */
export function addressOf(value: unknown, verified: boolean): Address {
  if (typeof value !== 'string' || !isEmail(value)) return { email: null, email_verified: false };
  const email = normalizeEmail(value);
  const plain = value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return { email, email_verified: verified && email === plain };
}

const MAX_NAME = 120;

/** One line for people, or nothing. */
export function nameOf(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null;
  const line = value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  return [...line].slice(0, MAX_NAME).join('').trim() || null;
}

const MAX_SUBJECT = 255;

/** Who somebody is there. Undefined: nobody is called that. */
export function subjectFrom(value: unknown): string | undefined {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const usable = typeof subject === 'string' && subject.length <= MAX_SUBJECT && /^[\x20-\x7e]+$/.test(subject);
  return usable ? subject : undefined;
}

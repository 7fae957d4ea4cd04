import { isEmail, normalizeEmail, type OAuthProvider } from '@gatehouse/contract';

/** Who a provider says somebody is. Who that is here follows from the first three alone, never from the email. */
export interface ExternalIdentity {
  readonly provider: OAuthProvider;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** The provider has made sure that this person reads mail there. */
  readonly email_verified: boolean;
  readonly name: string | null;
}

/** The provider's answer was not what was agreed. `reason` is a word of ours, for the log; nothing of the answer. */
export class ProviderFailure extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(`the provider's answer cannot be used: ${reason}`);
    this.reason = reason;
  }
}

const MAX_SUBJECT = 255;

export function subjectOf(value: unknown): string {
  const subject = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT || !isPrintable(subject)) {
    throw new ProviderFailure('no_subject');
  }
  return subject;
}

type Address = Pick<ExternalIdentity, 'email' | 'email_verified'>;

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

const isPrintable = (value: string): boolean => /^[\x20-\x7e]+$/.test(value);

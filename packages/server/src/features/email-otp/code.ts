import { randomInt } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../../platform/crypto/tokens.ts';

const { digits } = LIMITS.emailCode;

export const randomCode = (): string => String(randomInt(10 ** digits)).padStart(digits, '0');

/** A code and what it is bound to: sent to one address, it says nothing about the one that the account has later. */
interface LoginCode {
  readonly subject: string;
  readonly email: string;
  readonly code: string;
}

const hashUnder = (key: MasterKey, { subject, email, code }: LoginCode): Buffer =>
  hmac(key.derive('login-code'), `${subject}\0${email}\0${code}`);

/** §4.4, and see decision 12: a million codes are hashed in a second, so the hash has a key. */
export const hashCode = ({ current }: Keyring, code: LoginCode): Buffer => hashUnder(current, code);

const NONE = Buffer.alloc(32);

/** While the secret changes, a code made under the one before is still good. Takes as long when there is none at all. */
export function matchesCode({ current, previous }: Keyring, stored: Buffer | undefined, given: LoginCode): boolean {
  const hashes = [current, ...(previous ? [previous] : [])].map((key) => hashUnder(key, given));
  const matching = hashes.filter((hash) => equalBytes(hash, stored ?? NONE));
  return stored !== undefined && matching.length > 0;
}

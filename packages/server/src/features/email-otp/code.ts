import { randomInt } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../../platform/crypto/tokens.ts';

const { digits } = LIMITS.emailCode;

export const randomCode = (): string => String(randomInt(10 ** digits)).padStart(digits, '0');

/** A code and what it is bound to: after a change of email, a code sent to the old address is invalid. */
interface LoginCode {
  readonly subject: string;
  readonly email: string;
  readonly code: string;
}

const hashUnder = (key: MasterKey, { subject, email, code }: LoginCode): Buffer =>
  hmac(key.derive('login-code'), `${subject}\0${email}\0${code}`);

/**
 * §4.4, docs/reference/sign-in.md#emailed-code, decision 12. Keyed: all million codes can be hashed in a second, so a
 * plain hash would not protect them.
 */
export const hashCode = ({ current }: Keyring, code: LoginCode): Buffer => hashUnder(current, code);

const NONE = Buffer.alloc(32);

/** Also accepts codes hashed under the previous secret. Takes the same time when no code is stored. */
export function matchesCode({ current, previous }: Keyring, stored: Buffer | undefined, given: LoginCode): boolean {
  const hashes = [current, ...(previous ? [previous] : [])].map((key) => hashUnder(key, given));
  const matching = hashes.filter((hash) => equalBytes(hash, stored ?? NONE));
  return stored !== undefined && matching.length > 0;
}

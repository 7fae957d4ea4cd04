import { hmac } from '../../../platform/crypto/tokens.ts';
import type { HashCount } from './queries.ts';
import { decoyOf } from './read-hash.ts';

interface Part {
  readonly head: string;
  readonly stored: string;
  /** Of the addresses that none of the parts before has taken. */
  readonly share: number;
}

/** Which part of all accounts has hashes of which kind. Empty: all are ours. */
export type HashMix = readonly Part[];

/** Kinds that cannot be read cost what ours do, and count as ours. */
export function mixOf(kinds: readonly HashCount[], total: number): HashMix {
  const parts: Part[] = [];
  let rest = total;
  // In an order that does not change with the counts, so that an address keeps its kind.
  const ordered = [...kinds].sort((left, right) => (left.head < right.head ? -1 : 1));
  for (const { head, count } of ordered) {
    const stored = head === '' ? undefined : decoyOf(head);
    if (stored === undefined) continue;
    parts.push({ head, stored, share: count / rest });
    rest -= count;
  }
  return parts;
}

/**
 * What the password typed for an address without one is checked against. A hash that was brought along costs another time than
 * ours, so among addresses without an account each kind must be as frequent as among those with one, and must stay what it is
 * for each address. Which one it is follows from a keyed hash; as accounts move on to our kind, so do addresses. Undefined: ours.
 */
export const decoyFor = (mix: HashMix, key: Buffer, email: string): string | undefined =>
  mix.find(({ head, share }) => fraction(hmac(key, `${head}\0${email}`)) < share)?.stored;

/** Evenly from 0 to below 1. */
const fraction = (bytes: Buffer): number => bytes.readUIntBE(0, 6) / 2 ** 48;

import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { firebaseScrypt } from './firebase-scrypt.ts';
import type { ReadHash } from './hash-kind.ts';
import { pbkdf2 } from './pbkdf2.ts';

const KINDS = [argon2, bcrypt, pbkdf2, firebaseScrypt] as const;

/** Returns undefined for an unknown format, which no password matches. */
export function readHash(stored: string): ReadHash | undefined {
  for (const kind of KINDS) {
    const read = kind.read(stored);
    if (read) return read;
  }
  return undefined;
}

/** Returns a decoy that costs the same as hashes with this head; undefined if such hashes are never computed. */
export function decoyOf(head: string): string | undefined {
  for (const kind of KINDS) {
    const stored = kind.decoy(head);
    const read = kind.read(stored);
    if (read) return read.too_costly ? undefined : stored;
  }
  return undefined;
}

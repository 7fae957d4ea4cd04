import { argon2 } from './argon2.ts';
import { bcrypt } from './bcrypt.ts';
import { firebaseScrypt } from './firebase-scrypt.ts';
import type { ReadHash } from './hash-kind.ts';
import { pbkdf2 } from './pbkdf2.ts';

const KINDS = [argon2, bcrypt, pbkdf2, firebaseScrypt] as const;

/** Undefined: no password can match it, since nobody knows how it was made. */
export function readHash(stored: string): ReadHash | undefined {
  for (const kind of KINDS) {
    const read = kind.read(stored);
    if (read) return read;
  }
  return undefined;
}

/** A hash that costs what those with this head do. Undefined: those match nothing, and nothing is computed for them. */
export function decoyOf(head: string): string | undefined {
  for (const kind of KINDS) {
    const stored = kind.decoy(head);
    const read = kind.read(stored);
    if (read) return read.too_costly ? undefined : stored;
  }
  return undefined;
}

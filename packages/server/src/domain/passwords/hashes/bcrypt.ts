import { randomInt } from 'node:crypto';
import type { HashKind } from './hash-kind.ts';
import { inPool } from './in-pool.ts';

const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const FORM = /^(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21})([./A-Za-z0-9])([./A-Za-z0-9]{31})$/;
/** Verifying a hash of the maximum cost takes about a second. */
const COST = { min: 4, max: 14 };

/** `$2a$`, `$2b$` and `$2y$`. bcrypt ignores everything after the first 72 bytes of a password. */
export const bcrypt: HashKind = {
  read(stored) {
    const [, head, digits, last, hash] = FORM.exec(stored) ?? [];
    const cost = Number(digits);
    if (head === undefined || last === undefined || cost < COST.min) return undefined;
    // Some implementations set unused bits in the last character of the salt, which the library rejects.
    const canonical = `${head}${ALPHABET[ALPHABET.indexOf(last) & 0x30]}${hash}`;
    return {
      label: `bcrypt, cost ${cost}`,
      cost: `bcrypt ${cost}`,
      too_costly: cost > COST.max,
      async matches(password) {
        const { verify } = await import('@node-rs/bcrypt');
        return inPool(() => verify(password, canonical));
      },
    };
  },
  decoy: (head) => `${head}$${characters(21)}.${characters(31)}`,
};

const characters = (count: number): string =>
  Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

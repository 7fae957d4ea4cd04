import { pbkdf2 as derive, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { equalBytes } from '../../../platform/crypto/tokens.ts';
import { fromBase64, type HashKind, toBase64 } from './hash-kind.ts';
import { inPool } from './in-pool.ts';

const FORM =
  /^\$pbkdf2-(?<digest>sha1|sha256|sha512)\$i=(?<i>\d{1,10}),l=(?<l>\d{1,3})\$(?<salt>[A-Za-z0-9+/]{1,344})\$(?<hash>[A-Za-z0-9+/]+)$/;
const DIGEST_BYTES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 };
const HASH_BYTES = { min: 16, max: 128 };
const MAX_ITERATIONS = 5_000_000;
/** PBKDF2 repeats all iterations for each block of output. The maximum takes about two seconds. */
const MAX_BLOCK_ITERATIONS = 8_000_000;

interface Pbkdf2 {
  readonly digest: string;
  readonly iterations: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** The stored form. It contains the length of the hash besides the iterations, because both determine the cost. */
export const pbkdf2String = ({ digest, iterations, salt, hash }: Pbkdf2): string =>
  `$pbkdf2-${digest}$i=${iterations},l=${hash.length}$${toBase64(salt)}$${toBase64(hash)}`;

const run = promisify(derive);

export const pbkdf2: HashKind = {
  read(stored) {
    const { digest, i, l, salt, hash } = FORM.exec(stored)?.groups ?? {};
    const [iterations, length, expected] = [Number(i), Number(l), fromBase64(hash ?? '')];
    if (digest === undefined || iterations < 1 || expected?.length !== length) return undefined;
    if (length < HASH_BYTES.min || length > HASH_BYTES.max) return undefined;
    const blocks = Math.ceil(length / DIGEST_BYTES[digest]!);
    return {
      label: `pbkdf2-${digest}, ${iterations} iterations`,
      cost: `pbkdf2 ${digest} ${iterations * blocks}`,
      too_costly: iterations > MAX_ITERATIONS || iterations * blocks > MAX_BLOCK_ITERATIONS,
      matches: async (password) =>
        equalBytes(
          await inPool(() => run(password, Buffer.from(salt!, 'base64'), iterations, length, digest)),
          expected,
        ),
    };
  },
  decoy(head) {
    const length = Number(/l=(\d{1,3})$/.exec(head)?.[1] ?? 0);
    return `${head}$${toBase64(randomBytes(16))}$${toBase64(randomBytes(length))}`;
  },
};

import { createCipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { NIL_UUID } from '@gatehouse/contract';
import { equalBytes } from '../../../platform/crypto/tokens.ts';
import { type HashKind, toBase64 } from './hash-kind.ts';
import { inPool } from './in-pool.ts';

const FORM =
  /^\$firebase-scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3})\$(?<key_id>[0-9a-f-]{36})\$(?<salt>[A-Za-z0-9+/]{0,344})\$(?<separator>[A-Za-z0-9+/]{0,344})\$(?<hash>[A-Za-z0-9+/]{22,344})$/;
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const KEY_BYTES = 32;

interface FirebaseHash {
  readonly mem_cost: number;
  readonly rounds: number;
  /** Id of the row with the project's signer key. */
  readonly key_id: string;
  readonly salt: Buffer;
  readonly separator: Buffer;
  readonly hash: Buffer;
}

export const firebaseString = ({ mem_cost, rounds, key_id, salt, separator, hash }: FirebaseHash): string =>
  `$firebase-scrypt$ln=${mem_cost},r=${rounds}$${key_id}$${[salt, separator, hash].map(toBase64).join('$')}`;

/**
 * Firebase's variant: scrypt derives a key from the password, and the hash is the project's signer key encrypted with
 * it. Without the signer key, the hashes cannot be attacked offline.
 */
export const firebaseScrypt: HashKind = {
  read(stored) {
    const { ln, r, key_id, salt, separator, hash } = FORM.exec(stored)?.groups ?? {};
    const [N, rounds] = [2 ** Number(ln), Number(r)];
    if (key_id === undefined || N < 2 || rounds < 1) return undefined;
    const expected = Buffer.from(hash!, 'base64');
    const salted = Buffer.concat([Buffer.from(salt!, 'base64'), Buffer.from(separator!, 'base64')]);
    return {
      label: `firebase scrypt, 2^${ln}, ${rounds} rounds`,
      cost: `scrypt ${ln} ${rounds}`,
      too_costly: memoryOf(N, rounds) > MAX_MEMORY_BYTES,
      async matches(password, findKey) {
        const signer = await findKey(key_id);
        const key = await inPool(() => derive(password, salted, { N, r: rounds, p: 1, maxmem: 2 * MAX_MEMORY_BYTES }));
        // If the signer key is missing, no password matches, but the check takes as long as with the key.
        const made = encrypt(key, signer ?? randomBytes(expected.length));
        return equalBytes(made, expected) && signer !== undefined;
      },
    };
  },
  decoy: (head) =>
    `${head}$${NIL_UUID}$${toBase64(randomBytes(10))}$${toBase64(randomBytes(1))}$${toBase64(randomBytes(64))}`,
};

const memoryOf = (N: number, r: number): number => 128 * N * r;

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

function encrypt(key: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

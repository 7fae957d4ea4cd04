import { randomBytes, scrypt } from 'node:crypto';
import { createMasterKey, type MasterKey } from '../../platform/crypto/keyring.ts';
import { TransferFailure } from './failure.ts';

/** How a passphrase became a key, for whoever has to do it again. */
export interface Kdf {
  readonly name: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
}

/** 128 MiB and about half a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const;
/** A manifest is not to be believed before its passphrase was right: it must not take all the memory. */
const MOST_MEMORY = 1024 ** 3;

export const newKdf = (): Kdf => ({ name: 'scrypt', ...COST, salt: randomBytes(16).toString('base64') });

/** Typed on another keyboard, the same letters are the same passphrase. */
export async function deriveKey(passphrase: string, { name, N, r, p, salt }: Kdf): Promise<MasterKey> {
  const memory = 128 * N * r;
  const isSound = [N, r, p].every((cost) => Number.isSafeInteger(cost) && cost > 0) && p <= 16 && memory <= MOST_MEMORY;
  if (name !== 'scrypt' || !isSound || Math.log2(N) % 1 !== 0 || typeof salt !== 'string') {
    throw new TransferFailure('The manifest names a way to derive a key that this version does not know.');
  }
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: 2 * memory + 2 ** 20 };
    scrypt(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
      error ? reject(error) : resolve(createMasterKey(key)),
    );
  });
}

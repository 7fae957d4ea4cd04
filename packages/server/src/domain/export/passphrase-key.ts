import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { createMasterKey, type MasterKey } from '../../platform/crypto/keyring.ts';
import { TransferFailure } from './failure.ts';

export interface Kdf {
  readonly name: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
}

/** 128 MiB and about half a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const;
/** The manifest is not verified before the key is derived: its parameters must not use much memory or time. */
const BOUNDS = { N: [2 ** 14, 2 ** 20], r: [1, 32], p: [1, 16] } as const;
const MAX_MEMORY_BYTES = 1024 ** 3;

export const newKdf = (): Kdf => ({ name: 'scrypt', ...COST, salt: randomBytes(16).toString('base64') });

/** Normalizes the passphrase: keyboards may compose the same characters differently. */
export async function deriveKey(passphrase: string, { name, N, r, p, salt }: Kdf): Promise<MasterKey> {
  const unknown = new TransferFailure('The manifest uses a key derivation that this version does not support.');
  const memory = 128 * N * r;
  const isWithin = (cost: number, [least, most]: readonly [number, number]) =>
    Number.isSafeInteger(cost) && cost >= least && cost <= most;
  const isSound = isWithin(N, BOUNDS.N) && isWithin(r, BOUNDS.r) && isWithin(p, BOUNDS.p) && memory <= MAX_MEMORY_BYTES;
  if (name !== 'scrypt' || !isSound || Math.log2(N) % 1 !== 0 || typeof salt !== 'string') throw unknown;
  const options = { N, r, p, maxmem: 2 * memory + 2 ** 20 };
  const key = await promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(
    passphrase.normalize('NFC'),
    Buffer.from(salt, 'base64'),
    32,
    options,
  ).catch((error) => {
    // scrypt rejects some combinations within the bounds.
    throw error.code === 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS' ? unknown : error;
  });
  return createMasterKey(key);
}

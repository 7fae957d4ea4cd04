import { type KeyObject, randomBytes } from 'node:crypto';
import { fastRsaKey } from '../fast-rsa.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface SigningKeys {
  /** The key that signs, which is the only published key. */
  current(): KeyPair & { readonly kid: string };
  /** A key that is never published. */
  readonly foreign: KeyPair;
  rotate(): void;
}

export function createSigningKeys(): SigningKeys {
  // The first two keys are those of the service.
  const [first, second, foreign] = [fastRsaKey(2), fastRsaKey(3), fastRsaKey(4)];
  const newKid = () => randomBytes(10).toString('hex');
  let pair = first;
  let kid = newKid();
  return {
    foreign,
    current: () => ({ ...pair, kid }),
    rotate() {
      pair = pair === first ? second : first;
      kid = newKid();
    },
  };
}

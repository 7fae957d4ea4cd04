import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface SigningKeys {
  /** The one that signs, and the only one that is published. */
  current(): KeyPair & { readonly kid: string };
  /** One that is never published. */
  readonly foreign: KeyPair;
  rotate(): void;
}

interface Pairs {
  /** They take turns. */
  readonly published: readonly [KeyPair, KeyPair];
  readonly foreign: KeyPair;
}

const makePair = (): Promise<KeyPair> => promisify(generateKeyPair)('rsa', { modulusLength: 2048 });

// An RSA pair takes about a second to make: all fakes of a process share them. Beside the event loop, which the service under
// test watches: it would take the pause for a load.
let making: Promise<Pairs> | undefined;

export const sharedPairs = (): Promise<Pairs> => {
  making ??= Promise.all([makePair(), makePair(), makePair()]).then(([first, second, foreign]) => ({
    published: [first, second],
    foreign,
  }));
  return making;
};

export function createSigningKeys({ published, foreign }: Pairs): SigningKeys {
  const newKid = () => randomBytes(10).toString('hex');
  let turn = 0;
  let kid = newKid();
  return {
    foreign,
    current: () => ({ ...published[turn]!, kid }),
    rotate() {
      turn = 1 - turn;
      kid = newKid();
    },
  };
}

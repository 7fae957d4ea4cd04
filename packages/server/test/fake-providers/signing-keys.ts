import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

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

interface Pairs {
  /** Two keys that are published alternately. */
  readonly published: readonly [KeyPair, KeyPair];
  readonly foreign: KeyPair;
}

const makePair = (): Promise<KeyPair> => promisify(generateKeyPair)('rsa', { modulusLength: 2048 });

// Generating an RSA key takes about a second, so all fakes of a process share these keys. The keys are generated
// outside of the event loop, because the service under test would take its delay for overload.
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
  let index = 0;
  let kid = newKid();
  return {
    foreign,
    current: () => ({ ...published[index]!, kid }),
    rotate() {
      index = 1 - index;
      kid = newKid();
    },
  };
}

import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface SigningKeys {
  /** The key that signs, the only published one. */
  current(): KeyPair & { readonly kid: string };
  /** Never published. */
  readonly foreign: KeyPair;
  rotate(): void;
}

interface Pairs {
  /** Used alternately. */
  readonly published: readonly [KeyPair, KeyPair];
  readonly foreign: KeyPair;
}

const makePair = (): Promise<KeyPair> => promisify(generateKeyPair)('rsa', { modulusLength: 2048 });

// Generating an RSA key takes about a second, so all fakes of a process share these. It runs outside of the event loop,
// whose delay the service under test would take for overload.
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

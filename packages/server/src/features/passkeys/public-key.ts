/** A public key as COSE writes it, by the numbers of its fields. */
type CoseKey = Pick<ReadonlyMap<number, unknown>, 'get'>;

const [KTY, ALG] = [1, 3];
const [OKP, EC2, RSA] = [1, 2, 3];

/**
 * One of the three kinds that we offer, whole: kind, algorithm and curve belong together, and each number is as long as that
 * curve has it. The library looks at some of that when it needs it, and a key that is two things at once is none.
 */
export function isSoundKey(read: unknown): boolean {
  const key = read as CoseKey;
  const [algorithm, curve, x, y] = [key.get(ALG), key.get(-1), key.get(-2), key.get(-3)];
  switch (key.get(KTY)) {
    case EC2:
      return algorithm === -7 && curve === 1 && isLong(x, 32) && isLong(y, 32);
    case OKP:
      return algorithm === -8 && curve === 6 && isLong(x, 32);
    case RSA:
      return algorithm === -257 && isSoundRsa(curve, x);
    default:
      return false;
  }
}

const isLong = (value: unknown, bytes: number): boolean => value instanceof Uint8Array && value.length === bytes;

/**
 * Modulus and exponent stand where other keys have curve and x. 2048 to 4096 bits: what is shorter can be factored, what is
 * longer costs us more than it protects.
 */
function isSoundRsa(n: unknown, e: unknown): boolean {
  if (!(n instanceof Uint8Array && e instanceof Uint8Array)) return false;
  const [modulus, exponent] = [n, e].map((bytes) => BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)) as [
    bigint,
    bigint,
  ];
  const bits = modulus.toString(2).length;
  const isOdd = (value: bigint) => value % 2n === 1n;
  return bits >= 2048 && bits <= 4096 && isOdd(modulus) && isOdd(exponent) && exponent >= 3n && exponent < 2n ** 32n;
}

/** The library reads an ES256 signature, two numbers in DER, and does not ask what comes after them. */
export const isWholeSignature = (read: unknown, signature: Buffer): boolean =>
  (read as CoseKey).get(KTY) !== EC2 || signature[1] === signature.length - 2;

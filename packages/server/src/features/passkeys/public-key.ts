/** A COSE public key: a map from numeric labels to values. */
type CoseKey = Pick<ReadonlyMap<number, unknown>, 'get'>;

const [KTY, ALG] = [1, 3];
const [OKP, EC2, RSA] = [1, 2, 3];

/** Whether type, algorithm, curve and lengths match. The library checks only a part, and only when it uses the key. */
export function isSoundKey(read: unknown): boolean {
  const key = read as CoseKey;
  const [algorithm, curve, x, y] = [key.get(ALG), key.get(-1), key.get(-2), key.get(-3)];
  switch (key.get(KTY)) {
    case EC2:
      return algorithm === -7 && curve === 1 && hasLength(x, 32) && hasLength(y, 32);
    case OKP:
      return algorithm === -8 && curve === 6 && hasLength(x, 32);
    case RSA:
      return algorithm === -257 && isSoundRsa(curve, x);
    default:
      return false;
  }
}

const hasLength = (value: unknown, bytes: number): boolean => value instanceof Uint8Array && value.length === bytes;

/**
 * RSA has modulus and exponent in the fields for curve and x. 2048 to 4096 bits: shorter keys can be factored, longer
 * ones cost more than they protect.
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

/** Whether an ES256 signature ends after its two DER numbers; the library ignores further bytes. */
export const isWholeSignature = (read: unknown, signature: Buffer): boolean =>
  (read as CoseKey).get(KTY) !== EC2 || signature[1] === signature.length - 2;

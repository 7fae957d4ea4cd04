import { checkPrimeSync, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

const MODULUS_BITS = 2048;
const PUBLIC_EXPONENT = 65_537n;
const ORDER_FACTORS = [2, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41].map(BigInt);
const ORDER = product(ORDER_FACTORS);
/** OpenSSL blinds with a random number that must be invertible, which a small prime factor often prevents. */
const MIN_PRIME = 2n ** 32n;

let moduli: bigint[][] | undefined;

/**
 * Returns a 2048-bit RSA key pair, a different one for each index from 0 to 5. It signs seven times as fast as a real
 * one. It is insecure: the modulus is a product of small primes p whose p - 1 all divide a 49-bit number, so the
 * private exponent has 49 bits, too.
 */
export function fastRsaKey(index: number): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  moduli ??= listModuli();
  const primes = moduli[index]!;
  const [p, q] = [0, 1].map((rest) => product(primes.filter((_, at) => at % 2 === rest))) as [bigint, bigint];
  const d = inverse(PUBLIC_EXPONENT, ORDER);
  const numbers = { n: p * q, e: PUBLIC_EXPONENT, d, p, q, dp: d, dq: d, qi: inverse(q, p) };
  const key = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64url(value)]));
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...key }, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Returns the prime factors of each modulus. */
function listModuli(): bigint[][] {
  const divisors = new Set([1n]);
  for (const factor of ORDER_FACTORS) for (const divisor of [...divisors]) divisors.add(divisor * factor);
  const primes = [...divisors]
    .map((divisor) => divisor + 1n)
    .filter((number) => number > MIN_PRIME && checkPrimeSync(number))
    .toSorted((one, other) => (one < other ? -1 : 1));
  const count = Math.round((MODULUS_BITS * primes.length) / bitsOf(product(primes)));
  return primes
    .map((_, start) => Array.from({ length: count }, (_, step) => primes[(start + 7 * step) % primes.length]!))
    .filter((own) => bitsOf(product(own)) === MODULUS_BITS);
}

const bitsOf = (number: bigint): number => number.toString(2).length;

function product(numbers: readonly bigint[]): bigint {
  return numbers.reduce((one, other) => one * other, 1n);
}

function inverse(number: bigint, modulus: bigint): bigint {
  let [rest, next, factor, nextFactor] = [modulus, number % modulus, 0n, 1n];
  while (next > 0n) {
    const times = rest / next;
    [rest, next, factor, nextFactor] = [next, rest - times * next, nextFactor, factor - times * nextFactor];
  }
  return ((factor % modulus) + modulus) % modulus;
}

function base64url(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url');
}

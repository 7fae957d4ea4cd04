import { cbor } from '../../packages/server/test/authenticator.ts';
import { authData, FLAGS, sha256, USUAL } from './passkeys-fixture.ts';

export const CREDENTIAL_ID = Buffer.alloc(20, 7);
const AAGUID = Buffer.alloc(16);

const cose = (fields: Record<number, unknown>): Buffer =>
  cbor(new Map(Object.entries(fields).map(([label, value]) => [Number(label), value])));

/** The generator of P-256: a valid point whose private key is known. */
const X = Buffer.from('6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296', 'hex');
const Y = Buffer.from('4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5', 'hex');
const P = Buffer.from('ffffffff00000001000000000000000000000000ffffffffffffffffffffffff', 'hex');
const RIGHT = { 1: 2, 3: -7, [-1]: 1, [-2]: X, [-3]: Y };
const KEY = cose(RIGHT);

interface Attested {
  readonly id?: Buffer;
  /** Replaces the length field of the credential id. */
  readonly length?: number;
  readonly key?: Buffer;
  readonly flags?: number;
  readonly rpIdHash?: Buffer;
  readonly after?: Buffer;
}

export function attested({
  id = CREDENTIAL_ID,
  length = id.length,
  key = KEY,
  flags = USUAL | FLAGS.at,
  ...more
}: Attested = {}) {
  const rest = Buffer.concat([AAGUID, Buffer.of(length >> 8, length & 255), id, key, more.after ?? Buffer.alloc(0)]);
  return authData({ flags, counter: 0, rest, ...(more.rpIdHash && { rpIdHash: more.rpIdHash }) });
}

export const wrapped = (data: unknown, fmt: unknown = 'none', attStmt: unknown = new Map()): Buffer =>
  cbor(
    new Map([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', data],
    ]),
  );

export const hex = (text: string): Buffer => Buffer.from(text, 'hex');
/** Correct `fmt` and `attStmt` in CBOR, without the head of the map. */
const FRONT = Buffer.concat([cbor('fmt'), cbor('none'), cbor('attStmt'), cbor(new Map())]);

/** Invalid public keys, and keys of algorithms that were not offered. */
export const WRONG_KEYS: readonly [string, Buffer][] = [
  ['the kind of RSA, the algorithm of a curve', cose({ ...RIGHT, 1: 3 })],
  ['the kind of Ed25519, the algorithm of a curve', cose({ ...RIGHT, 1: 1 })],
  ['a kind that there is not', cose({ ...RIGHT, 1: 9 })],
  ['a kind that is text', cose({ ...RIGHT, 1: 'EC2' })],
  ['no kind', cose({ 3: -7, [-1]: 1, [-2]: X, [-3]: Y })],
  ['no algorithm', cose({ 1: 2, [-1]: 1, [-2]: X, [-3]: Y })],
  ['RS256 on a curve', cose({ ...RIGHT, 3: -257 })],
  ['EdDSA on P-256', cose({ ...RIGHT, 3: -8 })],
  ['ES384', cose({ ...RIGHT, 3: -35 })],
  ['ES256K', cose({ ...RIGHT, 3: -47 })],
  ['HMAC', cose({ 1: 4, 3: 5, [-1]: Buffer.alloc(32) })],
  ['RS1', cose({ 1: 3, 3: -65535, [-1]: Buffer.alloc(256, 255), [-2]: hex('010001') })],
  ['PS256, which was not offered', cose({ 1: 3, 3: -37, [-1]: Buffer.alloc(256, 255), [-2]: hex('010001') })],
  ['an algorithm that is text', cose({ ...RIGHT, 3: 'ES256' })],
  ['an algorithm of 0', cose({ ...RIGHT, 3: 0 })],
  ['the curve P-384', cose({ ...RIGHT, [-1]: 2 })],
  ['the curve of Ed25519', cose({ ...RIGHT, [-1]: 6 })],
  ['no curve', cose({ 1: 2, 3: -7, [-2]: X, [-3]: Y })],
  ['a point off the curve', cose({ ...RIGHT, [-3]: X })],
  ['a point of zeros', cose({ ...RIGHT, [-2]: Buffer.alloc(32), [-3]: Buffer.alloc(32) })],
  ['a coordinate beyond the field', cose({ ...RIGHT, [-2]: P })],
  ['31 bytes of x', cose({ ...RIGHT, [-2]: X.subarray(1) })],
  ['33 bytes of x', cose({ ...RIGHT, [-2]: Buffer.concat([Buffer.of(0), X]) })],
  ['x as text', cose({ ...RIGHT, [-2]: 'x' })],
  ['x as a list', cose({ ...RIGHT, [-2]: [...X] })],
  ['no y', cose({ 1: 2, 3: -7, [-1]: 1, [-2]: X })],
  ['y as its sign alone', Buffer.concat([KEY.subarray(0, KEY.length - 34), hex('f5')])],
  ['Ed25519 of 31 bytes', cose({ 1: 1, 3: -8, [-1]: 6, [-2]: Buffer.alloc(31, 1) })],
  ['Ed25519 of 64 bytes', cose({ 1: 1, 3: -8, [-1]: 6, [-2]: Buffer.alloc(64, 1) })],
  ['Ed448', cose({ 1: 1, 3: -8, [-1]: 7, [-2]: Buffer.alloc(57, 1) })],
  ['RSA of 1024 bits', cose({ 1: 3, 3: -257, [-1]: Buffer.alloc(128, 255), [-2]: hex('010001') })],
  ['RSA of no bits', cose({ 1: 3, 3: -257, [-1]: Buffer.alloc(0), [-2]: hex('010001') })],
  ['RSA with an exponent of 1', cose({ 1: 3, 3: -257, [-1]: Buffer.alloc(256, 255), [-2]: hex('01') })],
  ['a list', cbor([1, 2, 3])],
  ['a number', cbor(7)],
  ['an empty map', cbor(new Map())],
  ['no key', Buffer.alloc(0)],
];

export const WRONG_CBOR: readonly [string, Buffer][] = [
  ['a map of more than there is', Buffer.concat([hex('a5'), FRONT])],
  ['a map of 2^64 entries', hex('bbffffffffffffffff')],
  ['a list of 2^63 entries', hex('9b7fffffffffffffff')],
  ['bytes of 4 gigabytes', hex('5affffffff')],
  ['text of 2^64 bytes', hex('7bffffffffffffffff')],
  [
    'a map without a length',
    Buffer.concat([hex('bf'), FRONT, cbor('authData'), hex('5f'), cbor(attested()), hex('ff')]),
  ],
  ['bytes in pieces that do not end', Buffer.concat([hex('a3'), FRONT, cbor('authData'), hex('5f'), cbor(attested())])],
  ['lists within lists', Buffer.alloc(16_000, 0x81)],
  ['tags within tags', Buffer.alloc(16_000, 0xc1)],
  ['maps within maps', Buffer.from('a16161'.repeat(5000), 'hex')],
  ['a break with nothing to break', hex('ff')],
  ['a length that is reserved', hex('5c')],
  ['a simple value', hex('f5')],
  ['a number', hex('00')],
  ['an incomplete float', hex('f9')],
  ['authData that is text', wrapped('x')],
  ['authData that is a list', wrapped([...attested()])],
  ['authData that is a number', wrapped(7)],
  ['authData that is empty', wrapped(Buffer.alloc(0))],
  ['no authData', cbor(new Map<string, unknown>([['fmt', 'none']]))],
  ['keys by prototype', cbor(new Map<string, unknown>([['__proto__', attested()]]))],
  [
    'the same key twice, the second of nothing',
    Buffer.concat([hex('a4'), FRONT, cbor('authData'), cbor(attested()), cbor('authData'), cbor(Buffer.alloc(0))]),
  ],
];

/** Authenticator data that is inconsistent, or made for another purpose. */
export const WRONG_DATA: readonly [string, Buffer][] = [
  ['another relying party', attested({ rpIdHash: sha256('evil.example') })],
  ['a relying party on a subdomain', attested({ rpIdHash: sha256('evil.localhost') })],
  ['without user presence', attested({ flags: FLAGS.uv | FLAGS.at })],
  ['without user verification', attested({ flags: FLAGS.up | FLAGS.at })],
  ['no passkey inside', attested({ flags: USUAL })],
  ['a backup that cannot be', attested({ flags: USUAL | FLAGS.at | FLAGS.bs })],
  ['extensions, and there are none', attested({ flags: USUAL | FLAGS.at | FLAGS.ed })],
  ['extensions without end', attested({ flags: USUAL | FLAGS.at | FLAGS.ed, after: hex('bbffffffffffffffff') })],
  ['bytes left over', attested({ after: Buffer.alloc(4) })],
  ['an id of no bytes', attested({ id: Buffer.alloc(0) })],
  ['an id of 1024 bytes', attested({ id: Buffer.alloc(1024, 7) })],
  ['an id shorter than it says', attested({ length: 5000 })],
  ['an id longer than it says', attested({ length: 3 })],
  ['an id that is another', attested({ id: Buffer.alloc(20, 8) })],
];

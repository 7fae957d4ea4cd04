import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { hmac } from '../../platform/crypto/tokens.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);

const PUBLIC_ID_LENGTH = 12;
/** 43 base62 digits represent 256 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const PREFIX = 'gth_';
const KEY = new RegExp(
  `^${PREFIX}([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);
const SHOWN = new RegExp(`^${PREFIX}([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})$`);

/** Most significant digit first, padded with `0` on the left. */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= BASE) text = DIGITS[Number(rest % BASE)] + text;
  return text.padStart(length, '0');
}

export const checksumOf = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_LENGTH);

const randomBits = (bytes: number): bigint => BigInt(`0x${randomBytes(bytes).toString('hex')}`);

/** Reduces a 128-bit random number, so that all public ids are equally likely to within 2^-56. */
const randomPublicId = (): string => base62(randomBits(16) % BASE ** BigInt(PUBLIC_ID_LENGTH), PUBLIC_ID_LENGTH);

export interface KeyParts {
  readonly public_id: string;
  readonly secret: string;
}

/** Returns a new key. Only the hash of its secret part is stored. */
export function createKey(): KeyParts & { readonly key: string } {
  const [public_id, secret] = [randomPublicId(), base62(randomBits(32), SECRET_LENGTH)];
  const text = `${prefixOf(public_id)}_${secret}`;
  return { public_id, secret, key: text + checksumOf(text) };
}

/** The part of a key that is not secret: shown in lists, and the client id at the token endpoint. */
export const prefixOf = (public_id: string): string => PREFIX + public_id;

export const isKeyLike = (text: string): boolean => text.startsWith(PREFIX);

/** The public id in a client id. Undefined if it is malformed. */
export const publicIdIn = (prefix: string): string | undefined => SHOWN.exec(prefix)?.[1];

/** Returns undefined for anything that is not a key, and for a mistyped key, whose checksum is wrong. */
export function parseKey(text: string): KeyParts | undefined {
  const [, public_id, secret, checksum] = KEY.exec(text) ?? [];
  if (public_id === undefined || secret === undefined) return undefined;
  return checksumOf(`${prefixOf(public_id)}_${secret}`) === checksum ? { public_id, secret } : undefined;
}

/**
 * HMAC-SHA-256 of the secret part, keyed by the public id. The secret has 256 random bits, so the hash needs no secret
 * key: a changed JWT_SECRET, or a move to another service, does not end any API key (decision 56).
 */
export const hashSecret = ({ public_id, secret }: KeyParts): Buffer =>
  hmac(Buffer.from(`gatehouse api key ${public_id}`), secret);

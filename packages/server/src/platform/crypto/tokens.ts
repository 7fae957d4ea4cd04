import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** 32 random bytes, URL-safe, for mails and cookies. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** The stored form of a random token. With 256 bits of entropy an unkeyed hash is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Keyed hash, for values that can be guessed (codes, emails). */
export const hmac = (key: Buffer, text: string | Buffer): Buffer => createHmac('sha256', key).update(text).digest();

/** 24 random characters (142 bits) that need no escaping anywhere: for public ids. */
export const randomId = (): string => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Array.from({ length: 24 }, () => alphabet[randomInt(alphabet.length)]).join('');
};

export const equalBytes = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);

/** The first 16 bytes as a UUID (version 8, custom), so that a keyed hash can be used as an id. */
export function uuidFrom(bytes: Buffer): string {
  const copy = Buffer.from(bytes.subarray(0, 16));
  copy[6] = (copy[6]! & 0x0f) | 0x80;
  copy[8] = (copy[8]! & 0x3f) | 0x80;
  return uuidText(copy);
}

/** 16 bytes in the text form of a UUID. */
export const uuidText = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes, URL-safe: what goes out in a mail or a cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** What is stored of a random token. It has 256 bits of its own, so a bare hash is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** For anything guessable (codes, emails) the hash needs a key. */
export const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export const equalBytes = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);

/** Sixteen bytes as a UUID of our own making (version 8), so that a keyed hash can stand where an id is expected. */
export function uuidFrom(bytes: Buffer): string {
  const copy = Buffer.from(bytes.subarray(0, 16));
  copy[6] = (copy[6]! & 0x0f) | 0x80;
  copy[8] = (copy[8]! & 0x3f) | 0x80;
  return copy.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

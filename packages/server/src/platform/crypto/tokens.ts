import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes, URL-safe: what goes out in a mail or a cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** What is stored of a random token. It has 256 bits of its own, so a bare hash is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** For anything guessable (codes, emails) the hash needs a key. */
export const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export const equalBytes = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);

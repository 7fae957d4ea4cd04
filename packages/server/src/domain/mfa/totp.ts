import { createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import { seconds } from '../../platform/clock.ts';
import { equalBytes } from '../../platform/crypto/tokens.ts';

const { digits, step: STEP, drift } = LIMITS.totp;

/** The secret is as long as the hash, as RFC 4226 recommends. */
export const newTotpSecret = (): Buffer => randomBytes(20);

export const stepAt = (now: Date): number => Math.floor(seconds(now) / STEP);

/** RFC 6238 with SHA-1, the only variant that every authenticator app supports. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const number = digest.readUInt32BE(digest.at(-1)! & 0x0f) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Apps show the digits in groups, so spaces are ignored. */
const typed = (code: string): Buffer => Buffer.from(code.replace(/\s/g, ''));

export const looksLikeCode = (code: string): boolean =>
  /^[0-9]+$/.test(code.replace(/\s/g, '')) && typed(code).length === digits;

/** Returns the step within the allowed drift whose code this is, or undefined. */
export function matchingStep(secret: Buffer, code: string, now: Date): number | undefined {
  const given = typed(code);
  const current = stepAt(now);
  const near = Array.from({ length: 2 * drift + 1 }, (_, index) => current + index - drift);
  return near.filter((step) => equalBytes(given, Buffer.from(totpCode(secret, step)))).at(0);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 of RFC 4648, without padding: 20 bytes are 32 characters exactly. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{1,5}/g, (group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]!);
}

interface TotpLabel {
  readonly name: string;
  readonly email: string;
  readonly secret: string;
}

/** The content of the QR code. A colon separates issuer and account, so the name cannot contain one. */
export function otpauthUrl({ name, email, secret }: TotpLabel): string {
  const issuer = encodeURIComponent(name.replaceAll(/\s*:\s*/g, ' ').trim());
  const label = `${issuer}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=${digits}&period=${STEP}`;
}

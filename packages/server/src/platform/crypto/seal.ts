import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { findKey, type Keyring } from './keyring.ts';

/** What a sealed value is for and which row it belongs to: moved to another row or purpose it does not open. */
export interface Binding {
  readonly purpose: 'signing-key' | 'mail' | 'totp' | 'provider' | 'foreign-hash' | 'export';
  readonly row: string;
}

const IV = 12;
const TAG = 16;

/** AES-256-GCM, written `v1:<key id>:<base64url of iv, tag, text>`. */
export function seal(keyring: Keyring, binding: Binding, plain: string | Buffer): string {
  const iv = randomBytes(IV);
  const cipher = createCipheriv('aes-256-gcm', keyring.current.derive(`seal:${binding.purpose}`), iv);
  cipher.setAAD(Buffer.from(`${binding.purpose}\0${binding.row}`));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `v1:${keyring.current.id}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
}

/** Undefined when its key is gone, it was tampered with, or it belongs elsewhere. */
export function unseal(keyring: Keyring, binding: Binding, sealed: string): Buffer | undefined {
  const [version, keyId, body] = sealed.split(':');
  const key = findKey(keyring, keyId ?? '');
  if (version !== 'v1' || !key || !body) return undefined;
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length < IV + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key.derive(`seal:${binding.purpose}`), bytes.subarray(0, IV));
  decipher.setAAD(Buffer.from(`${binding.purpose}\0${binding.row}`));
  decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** The key id a value was sealed under, without opening it. */
export const sealedUnder = (sealed: string): string => sealed.split(':')[1] ?? '';

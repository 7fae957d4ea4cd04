import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { findKey, type Keyring } from './keyring.ts';
import type { SealPurpose } from './sealed-columns.ts';

/** The purpose and row of a sealed value, which are authenticated: it cannot be unsealed for another row or purpose. */
interface Binding {
  readonly purpose: SealPurpose;
  readonly row: string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM, formatted as `v1:<key id>:<base64url of iv, tag, ciphertext>`. */
export function seal(keyring: Keyring, binding: Binding, plain: string | Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyring.current.derive(`seal:${binding.purpose}`), iv);
  cipher.setAAD(Buffer.from(`${binding.purpose}\0${binding.row}`));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `v1:${keyring.current.id}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
}

/** Returns undefined if the key is unknown, or the value was altered or sealed for another purpose or row. */
export function unseal(keyring: Keyring, binding: Binding, sealed: string): Buffer | undefined {
  const [version, keyId, body] = sealed.split(':');
  const key = findKey(keyring, keyId ?? '');
  if (version !== 'v1' || !key || !body) return undefined;
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key.derive(`seal:${binding.purpose}`), bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(`${binding.purpose}\0${binding.row}`));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** The id of the key that a value was sealed with, read without unsealing it. */
export const sealedUnder = (sealed: string): string => sealed.split(':')[1] ?? '';

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import { parse, stringify } from 'uuid';
import { after, seconds } from '../../platform/clock.ts';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';

/**
 * The purpose of a ceremony and its subject: a user, an id derived from an address without an account, or nil for
 * anyone. `register_unproven`: a registration that began while the email was not verified, and is void once it is.
 */
interface Ceremony {
  readonly kind: 'login' | 'register' | 'register_unproven';
  readonly subject: string;
}

export interface Challenge extends Ceremony {
  /** The id that is stored once the challenge was used. */
  readonly id: Buffer;
  readonly expires_at: Date;
}

const KINDS = ['login', 'register', 'register_unproven'] as const;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The length of the sealed text: kind, expiry in seconds, subject. */
const TEXT_BYTES = 1 + 4 + 16;
export const CHALLENGE_BYTES = IV_BYTES + TAG_BYTES + TEXT_BYTES;

const keyOf = (key: MasterKey): Buffer => key.derive('passkey-challenge');

/** Seals purpose and expiry into the challenge: nothing is stored until it is used, and all challenges look alike. */
export function sealChallenge({ current }: Keyring, { kind, subject }: Ceremony, now: Date): Buffer {
  const text = Buffer.alloc(TEXT_BYTES);
  text.writeUInt8(KINDS.indexOf(kind));
  text.writeUInt32BE(seconds(after(now, LIMITS.passkey.challenge)), 1);
  text.set(parse(subject), 5);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(current), iv);
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Returns undefined unless the challenge was sealed under the current or previous secret and has not expired. */
export function openChallenge({ current, previous }: Keyring, sealed: Buffer, now: Date): Challenge | undefined {
  if (sealed.length !== CHALLENGE_BYTES) return undefined;
  const text = unseal(current, sealed) ?? (previous && unseal(previous, sealed));
  if (!text) return undefined;
  const expires_at = new Date(text.readUInt32BE(1) * 1000);
  if (expires_at <= now) return undefined;
  return {
    id: sealed.subarray(0, IV_BYTES + TAG_BYTES),
    kind: KINDS[text.readUInt8()]!,
    subject: stringify(text.subarray(5)),
    expires_at,
  };
}

function unseal(key: MasterKey, sealed: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key), sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

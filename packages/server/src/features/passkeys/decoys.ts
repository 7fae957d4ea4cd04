import { hkdfSync } from 'node:crypto';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { hmac } from '../../platform/crypto/tokens.ts';

/** Passkeys as people have them: how long their ids are, and how they are reached. */
const KINDS = [
  { bytes: 20, transports: ['hybrid', 'internal'] },
  { bytes: 16, transports: ['hybrid', 'internal'] },
  { bytes: 32, transports: ['internal'] },
  { bytes: 48, transports: ['nfc', 'usb'] },
] as const;
const LONGEST = 48;
const MOST = 2;
/** Of 256 addresses, so many seem to have one passkey only. */
const WITH_ONE = 192;

export interface Decoy {
  readonly credential_id: Buffer;
  readonly transports: readonly string[];
}

/** For an address without passkeys: always the same, and nobody without our secret can tell them from real ones. */
export function decoysFor({ current }: Keyring, email: string): Decoy[] {
  const seed = hmac(current.derive('passkey-decoy'), email);
  const bytes = Buffer.from(hkdfSync('sha256', seed, '', 'passkey-decoy', 1 + MOST * (1 + LONGEST)));
  const count = bytes[0]! < WITH_ONE ? 1 : MOST;
  return Array.from({ length: count }, (_, index) => {
    const part = bytes.subarray(1 + index * (1 + LONGEST));
    const kind = KINDS[part[0]! % KINDS.length]!;
    return { credential_id: part.subarray(1, 1 + kind.bytes), transports: kind.transports };
  });
}

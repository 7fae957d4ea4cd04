import { hkdfSync } from 'node:crypto';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../../platform/crypto/tokens.ts';

/** Lengths of credential ids, and transports, of common authenticators. */
const KINDS = [
  { bytes: 20, transports: ['hybrid', 'internal'] },
  { bytes: 16, transports: ['hybrid', 'internal'] },
  { bytes: 32, transports: ['internal'] },
  { bytes: 48, transports: ['nfc', 'usb'] },
] as const;
const HEAD_BYTES = 8;
/** Of 256 addresses, how many seem to have at most one, two, three or four passkeys. The others seem to have five. */
const AT_MOST = [112, 176, 216, 240] as const;
/** The maximum number of passkeys in a response, also for a real account: more would reveal that the account exists. */
export const MAX_DECOYS = AT_MOST.length + 1;

interface Decoy {
  readonly credential_id: Buffer;
  readonly transports: readonly string[];
}

/** Decoys for an address without passkeys: stable, equal on all replicas, and not recognizable without the secret. */
export function decoysFor({ current }: Keyring, email: string): Decoy[] {
  const seed = hmac(current.derive('passkey-decoy'), email);
  const bytes = Buffer.from(hkdfSync('sha256', seed, '', 'passkey-decoy', 1 + MAX_DECOYS * (1 + HEAD_BYTES)));
  const count = 1 + AT_MOST.filter((limit) => bytes[0]! >= limit).length;
  const all = Array.from({ length: MAX_DECOYS }, (_, index) => {
    const part = bytes.subarray(1 + index * (1 + HEAD_BYTES));
    const kind = KINDS[part[0]! % KINDS.length]!;
    const head = Buffer.from(part.subarray(1, 1 + HEAD_BYTES));
    return { credential_id: complete(current, head, kind.bytes), transports: kind.transports };
  });
  // All decoys are computed, so that timing does not depend on how many are shown.
  return all.slice(0, count);
}

/** Derives the rest of an id from its first bytes and its length, so that only this service can recognize a decoy. */
function complete(key: MasterKey, head: Buffer, length: number): Buffer {
  const tail = hkdfSync('sha256', key.derive('passkey-decoy'), head, `tail ${length}`, length - HEAD_BYTES);
  return Buffer.concat([head, Buffer.from(tail)]);
}

/** Whether this id was in a response with decoys. It must be treated like a real passkey that is in use. */
export const isDecoy = ({ current, previous }: Keyring, id: Buffer): boolean =>
  KINDS.some(({ bytes }) => bytes === id.length) &&
  [current, previous].some((key) => key && equalBytes(complete(key, id.subarray(0, HEAD_BYTES), id.length), id));

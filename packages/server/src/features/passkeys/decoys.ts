import { hkdfSync } from 'node:crypto';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../../platform/crypto/tokens.ts';

/** Passkeys as people have them: how long their ids are, and how they are reached. */
const KINDS = [
  { bytes: 20, transports: ['hybrid', 'internal'] },
  { bytes: 16, transports: ['hybrid', 'internal'] },
  { bytes: 32, transports: ['internal'] },
  { bytes: 48, transports: ['nfc', 'usb'] },
] as const;
const HEAD = 8;
/**
 * Of 256 addresses, how many appear to have at most one, two, three or four passkeys. The others appear to have five.
 */
const AT_MOST = [112, 176, 216, 240] as const;
/** An account also shows at most this many: more would reveal that it exists. */
export const MAX_DECOYS = AT_MOST.length + 1;

interface Decoy {
  readonly credential_id: Buffer;
  readonly transports: readonly string[];
}

/** For an address without passkeys: always the same, on every replica, and nobody without our secret can tell them from real ones. */
export function decoysFor({ current }: Keyring, email: string): Decoy[] {
  const seed = hmac(current.derive('passkey-decoy'), email);
  const bytes = Buffer.from(hkdfSync('sha256', seed, '', 'passkey-decoy', 1 + MAX_DECOYS * (1 + HEAD)));
  const count = 1 + AT_MOST.filter((limit) => bytes[0]! >= limit).length;
  const all = Array.from({ length: MAX_DECOYS }, (_, index) => {
    const part = bytes.subarray(1 + index * (1 + HEAD));
    const kind = KINDS[part[0]! % KINDS.length]!;
    const head = Buffer.from(part.subarray(1, 1 + HEAD));
    return { credential_id: complete(current, head, kind.bytes), transports: kind.transports };
  });
  // All are made: how long it took must not differ from what is shown, for somebody who has real ones.
  return all.slice(0, count);
}

/** What follows the first bytes of an id of ours is known from them and its length: so that we, and nobody else, know it again. */
function complete(key: MasterKey, head: Buffer, length: number): Buffer {
  const tail = hkdfSync('sha256', key.derive('passkey-decoy'), head, `tail ${length}`, length - HEAD);
  return Buffer.concat([head, Buffer.from(tail)]);
}

/** Somebody has taken it from an answer of ours; to them it must be like any other that is in use. */
export const isDecoy = ({ current, previous }: Keyring, id: Buffer): boolean =>
  KINDS.some(({ bytes }) => bytes === id.length) &&
  [current, previous].some((key) => key && equalBytes(complete(key, id.subarray(0, HEAD), id.length), id));

import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../../platform/crypto/tokens.ts';
import { ServiceError } from '../kernel/service-error.ts';
import type { Position } from './queries.ts';

/** What a cursor is bound to: it is not valid for another stream, or after an import or a restore. */
interface Binding {
  /** The id of the organization; undefined for the stream of all organizations. */
  readonly organization_id: string | undefined;
  readonly epoch: string;
}

const VERSION = 1;
const MAC_BYTES = 16;
const POSITION_BYTES = 16;

const macOf = (key: MasterKey, { organization_id, epoch }: Binding, position: Buffer): Buffer =>
  hmac(key.derive('event-cursor'), `${organization_id ?? 'platform'}\0${epoch}\0${position.toString('hex')}`).subarray(
    0,
    MAC_BYTES,
  );

/** Encodes a position as opaque text. The length is a multiple of 3 bytes, so base64url has no unused bits. */
export function writeCursor({ current }: Keyring, binding: Binding, { xid, id }: Position): string {
  const position = Buffer.alloc(POSITION_BYTES);
  position.writeBigUInt64BE(BigInt(xid), 0);
  position.writeBigUInt64BE(BigInt(id), 8);
  return Buffer.concat([Buffer.of(VERSION), position, macOf(current, binding, position)]).toString('base64url');
}

/** Throws 400 for a cursor that was altered or belongs to another stream or database. */
export function readCursor(keyring: Keyring, binding: Binding, text: string): Position {
  const bytes = Buffer.from(text, 'base64url');
  const position = bytes.subarray(1, 1 + POSITION_BYTES);
  const isOurs =
    bytes.length === 1 + POSITION_BYTES + MAC_BYTES &&
    bytes.toString('base64url') === text &&
    bytes[0] === VERSION &&
    [keyring.current, keyring.previous].some(
      (key) => key && equalBytes(macOf(key, binding, position), bytes.subarray(1 + POSITION_BYTES)),
    );
  if (!isOurs) throw invalidCursor();
  return { xid: position.readBigUInt64BE(0).toString(), id: Number(position.readBigUInt64BE(8)) };
}

export const invalidCursor = () =>
  new ServiceError('invalid_input', 'after: is not a cursor of this stream; start again without it');

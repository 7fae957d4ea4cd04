import type { Keyring, MasterKey } from '../../../platform/crypto/keyring.ts';
import { equalBytes, hmac, uuidText } from '../../../platform/crypto/tokens.ts';

export interface GrantRefresh {
  /** The id of the grant. */
  readonly id: string;
  readonly jti: string;
}

const PREFIX = 'gtr_';
const ID_BYTES = 16;
const LENGTH = 2 * ID_BYTES + 32;

const sign = (key: MasterKey, ids: Buffer): Buffer => hmac(key.derive('token:application-refresh'), ids);

/**
 * An opaque refresh token: the ids of grant and token, authenticated with a key of the server. The grant stores the id
 * of its unused token, so an authentic token with another id was used before (decision 15).
 */
export function signGrantRefresh({ current }: Keyring, { id, jti }: GrantRefresh): string {
  const ids = Buffer.from(`${id}${jti}`.replaceAll('-', ''), 'hex');
  return `${PREFIX}${Buffer.concat([ids, sign(current, ids)]).toString('base64url')}`;
}

/** Returns undefined unless this service has issued the token. The database knows whether it was used. */
export function readGrantRefresh({ current, previous }: Keyring, token: string): GrantRefresh | undefined {
  if (!/^gtr_[\w-]{86}$/.test(token)) return undefined;
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
  if (bytes.length !== LENGTH || `${PREFIX}${bytes.toString('base64url')}` !== token) return undefined;
  const ids = bytes.subarray(0, 2 * ID_BYTES);
  const signature = bytes.subarray(2 * ID_BYTES);
  const isOurs = [current, previous].some((key) => key !== undefined && equalBytes(sign(key, ids), signature));
  return isOurs ? { id: uuidText(ids.subarray(0, ID_BYTES)), jti: uuidText(ids.subarray(ID_BYTES)) } : undefined;
}

import { CHALLENGE_BYTES } from '../../domain/passkeys/challenge.ts';

/**
 * A credential from the browser, decoded field by field: its challenge is consumed even if other fields are invalid.
 * Fields that are not listed here are dropped.
 */
export interface GivenCredential {
  readonly is_public_key: boolean;
  readonly id: Buffer | undefined;
  readonly client_data: Buffer | undefined;
  /** The challenge in `client_data`. */
  readonly challenge: Buffer | undefined;
  /** Requested by a page embedded in another site. */
  readonly is_framed: boolean;
  readonly authenticator_data: Buffer | undefined;
  readonly signature: Buffer | undefined;
  readonly attestation_object: Buffer | undefined;
  /** Undefined if none was sent; empty, which matches no user, if it cannot be decoded. */
  readonly user_handle: Buffer | undefined;
  readonly transports: readonly string[];
}

/** In bytes, more than any authenticator sends; longer values are not decoded. */
const MAX = {
  id: 1023,
  clientData: 4096,
  authenticatorData: 4096,
  signature: 1024,
  attestationObject: 16_384,
  userHandle: 64,
  transports: 16,
};

const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

export function readCredential(credential: Record<string, unknown>): GivenCredential {
  const response = asRecord(credential.response);
  const client_data = bytesIn(response.clientDataJSON, MAX.clientData);
  const clientData = asRecord(client_data && parse(client_data));
  return {
    is_public_key: credential.type === 'public-key' && credential.rawId === credential.id,
    id: bytesIn(credential.id, MAX.id),
    client_data,
    challenge: bytesIn(clientData.challenge, CHALLENGE_BYTES),
    is_framed: Boolean(clientData.crossOrigin || clientData.topOrigin),
    authenticator_data: bytesIn(response.authenticatorData, MAX.authenticatorData),
    signature: bytesIn(response.signature, MAX.signature),
    attestation_object: bytesIn(response.attestationObject, MAX.attestationObject),
    user_handle: handleIn(response.userHandle),
    transports: transportsIn(response.transports),
  };
}

export const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Decodes canonical base64url; undefined for anything else. */
function bytesIn(value: unknown, max: number): Buffer | undefined {
  if (typeof value !== 'string' || value === '' || value.length > Math.ceil((max * 4) / 3)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value ? bytes : undefined;
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    return undefined;
  }
}

const handleIn = (value: unknown): Buffer | undefined =>
  value === undefined || value === null || value === ''
    ? undefined
    : (bytesIn(value, MAX.userHandle) ?? Buffer.alloc(0));

/** Hints for the browser, in the order of the standard; unknown ones are dropped. */
const transportsIn = (value: unknown): string[] =>
  Array.isArray(value) && value.length <= MAX.transports
    ? TRANSPORTS.filter((transport) => value.includes(transport))
    : [];

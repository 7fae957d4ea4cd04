import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring, MasterKey } from './keyring.ts';
import { hmac } from './tokens.ts';

/** The kind of flow. A state of one kind cannot be opened as another. */
export type StatePurpose = 'oauth-flow' | 'sso-flow';

/** The nonce and the PKCE verifier, known only to this service and the provider. */
export interface FlowSecrets {
  readonly nonce: string;
  readonly code_verifier: string;
}

interface OpenedState extends FlowSecrets {
  readonly text: string;
  /** The id that is stored when the state is consumed, so that it can be used only once. */
  readonly id: Buffer;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Longer than a state with the longest `redirect_to`. */
const MAX_STATE_CHARS = 4096;

/**
 * Encrypts a text as the `state` of an authorization request, with the browser's cookie as additional data, so that no
 * other browser can use it. Nothing is stored until the callback. Nonce and PKCE verifier are derived from state and
 * cookie.
 */
export function sealState(
  { current }: Keyring,
  { purpose, text, browser }: { purpose: StatePurpose; text: string; browser: string },
): { state: string } & FlowSecrets {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', current.derive(purpose), iv);
  cipher.setAAD(Buffer.from(browser));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  return { state: bytes.toString('base64url'), ...secretsOf(current, purpose, idOf(bytes), browser) };
}

/** Returns undefined unless the state was sealed by this service for this purpose and browser. */
export function openState(
  { current, previous }: Keyring,
  { purpose, state, browser }: { purpose: StatePurpose; state: string; browser: string },
): OpenedState | undefined {
  if (!/^[\w-]+$/.test(state) || state.length > MAX_STATE_CHARS) return undefined;
  const bytes = Buffer.from(state, 'base64url');
  for (const key of [current, previous]) {
    const text = key && unseal(key.derive(purpose), bytes, browser);
    if (text) return { text, id: idOf(bytes), ...secretsOf(key, purpose, idOf(bytes), browser) };
  }
  return undefined;
}

const idOf = (bytes: Buffer): Buffer => bytes.subarray(0, IV_BYTES + TAG_BYTES);

const secretsOf = (key: MasterKey, purpose: StatePurpose, id: Buffer, browser: string): FlowSecrets => {
  const derive = (use: string) =>
    hmac(key.derive(purpose.replace('flow', use)), `${id.toString('hex')}\0${browser}`).toString('base64url');
  return { nonce: derive('nonce'), code_verifier: derive('verifier') };
};

function unseal(key: Buffer, bytes: Buffer, browser: string): string | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(browser));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

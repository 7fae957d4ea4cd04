import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { LIMITS, OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { after, seconds } from '../../platform/clock.ts';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { hmac } from '../../platform/crypto/tokens.ts';

/** A way to a provider and back. */
export interface Flow {
  readonly provider: OAuthProvider;
  /** Where it ends; see `safeRedirect`. */
  readonly redirect_to: string;
  /** The organization to sign in to; see POST /auth/login. */
  readonly organization_id?: string | undefined;
  /** Who is signed in and links a further identity; otherwise somebody signs in. */
  readonly linking?: Linking | undefined;
}

interface Linking {
  readonly user_id: string;
  readonly session_id: string;
  /** The email was not verified when it began; once it is, the flow is void. */
  readonly isUnproven: boolean;
}

/** What nobody but us and the provider gets to see. */
interface Proofs {
  readonly nonce: string;
  readonly code_verifier: string;
}

export interface OpenedFlow extends Flow, Proofs {
  /** What is remembered of it once it has come back. */
  readonly id: Buffer;
  readonly expires_at: Date;
}

const IV = 12;
const TAG = 16;
/** More than the longest `redirect_to` makes it. */
const MAX_STATE = 4096;

const keyOf = (key: MasterKey): Buffer => key.derive('oauth-flow');

/**
 * The state of a flow carries the flow itself, sealed for one browser: its cookie is the additional data, so that in another
 * browser it does not open. Nothing is stored until it comes back. Nonce and PKCE verifier follow from it and the cookie.
 */
export function sealFlow({ current }: Keyring, flow: Flow, browser: string, now: Date): { state: string } & Proofs {
  const { provider, redirect_to, linking, organization_id } = flow;
  const text = [
    OAUTH_PROVIDERS.indexOf(provider),
    seconds(after(now, LIMITS.oauthFlow)),
    redirect_to,
    ...(linking ? [linking.user_id, linking.session_id, null, Number(linking.isUnproven)] : []),
    ...(organization_id ? [null, null, organization_id] : []),
  ];
  const iv = randomBytes(IV);
  const cipher = createCipheriv('aes-256-gcm', keyOf(current), iv);
  cipher.setAAD(Buffer.from(browser));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(text)), cipher.final()]);
  const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  return { state: bytes.toString('base64url'), ...proofsOf(current, idOf(bytes), browser) };
}

/** Undefined unless it is ours, made for this browser, and has not ended. */
export function openFlow(
  { current, previous }: Keyring,
  state: string,
  browser: string,
  now: Date,
): OpenedFlow | undefined {
  if (!/^[\w-]+$/.test(state) || state.length > MAX_STATE) return undefined;
  const bytes = Buffer.from(state, 'base64url');
  for (const key of [current, previous]) {
    const text = key && unseal(key, bytes, browser);
    if (!text) continue;
    const flow = { ...parse(text), id: idOf(bytes), ...proofsOf(key, idOf(bytes), browser) };
    return flow.expires_at > now ? flow : undefined;
  }
  return undefined;
}

const idOf = (bytes: Buffer): Buffer => bytes.subarray(0, IV + TAG);

function parse(text: string): Flow & { expires_at: Date } {
  const [provider, ends, redirect_to, user_id, session_id, organization_id, unproven] = JSON.parse(text) as [
    number,
    number,
    string,
    (string | null)?,
    (string | null)?,
    (string | null)?,
    number?,
  ];
  return {
    provider: OAUTH_PROVIDERS[provider]!,
    redirect_to,
    linking: user_id && session_id ? { user_id, session_id, isUnproven: unproven === 1 } : undefined,
    organization_id: organization_id ?? undefined,
    expires_at: new Date(ends * 1000),
  };
}

const proofsOf = (key: MasterKey, id: Buffer, browser: string): Proofs => {
  const derive = (purpose: string) =>
    hmac(key.derive(`oauth-${purpose}`), `${id.toString('hex')}\0${browser}`).toString('base64url');
  return { nonce: derive('nonce'), code_verifier: derive('verifier') };
};

function unseal(key: MasterKey, bytes: Buffer, browser: string): string | undefined {
  if (bytes.length < IV + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key), bytes.subarray(0, IV));
  decipher.setAAD(Buffer.from(browser));
  decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { LIMITS, OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { after, seconds } from '../../platform/clock.ts';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { hmac } from '../../platform/crypto/tokens.ts';

/** A redirect to a provider and back. */
export interface Flow {
  readonly provider: OAuthProvider;
  /** Where the browser is sent at the end; see `safeRedirect`. */
  readonly redirect_to: string;
  /** The organization to sign in to; see POST /auth/login. */
  readonly organization_id?: string | undefined;
  /** The locale of a new account. */
  readonly locale?: string | null | undefined;
  /** Set if a signed-in user links an identity; otherwise the flow is a sign-in. */
  readonly linking?: Linking | undefined;
}

interface Linking {
  readonly user_id: string;
  readonly session_id: string;
  /** The email was unverified at the start; the flow becomes invalid once it is verified. */
  readonly isUnproven: boolean;
}

/** Known only to this service and the provider. */
interface Secrets {
  readonly nonce: string;
  readonly code_verifier: string;
}

export interface OpenedFlow extends Flow, Secrets {
  /** The id that is stored once the state was used. */
  readonly id: Buffer;
  readonly expires_at: Date;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Longer than a state with the longest `redirect_to`. */
const MAX_STATE_CHARS = 4096;

const keyOf = (key: MasterKey): Buffer => key.derive('oauth-flow');

/**
 * The state contains the flow, encrypted with the browser's cookie as additional data, so that no other browser can use
 * it. Nothing is stored until the callback. Nonce and PKCE verifier are derived from state and cookie.
 */
export function sealFlow({ current }: Keyring, flow: Flow, browser: string, now: Date): { state: string } & Secrets {
  const { provider, redirect_to, linking, organization_id, locale } = flow;
  const text = [
    OAUTH_PROVIDERS.indexOf(provider),
    seconds(after(now, LIMITS.oauthFlow)),
    redirect_to,
    ...(linking ? [linking.user_id, linking.session_id, null, Number(linking.isUnproven)] : []),
    ...(organization_id || locale ? [null, null, organization_id ?? null, 0, locale ?? null] : []),
  ];
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(current), iv);
  cipher.setAAD(Buffer.from(browser));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(text)), cipher.final()]);
  const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  return { state: bytes.toString('base64url'), ...secretsOf(current, idOf(bytes), browser) };
}

/** Returns undefined unless the state was issued by this service for this browser and has not expired. */
export function openFlow(
  { current, previous }: Keyring,
  state: string,
  browser: string,
  now: Date,
): OpenedFlow | undefined {
  if (!/^[\w-]+$/.test(state) || state.length > MAX_STATE_CHARS) return undefined;
  const bytes = Buffer.from(state, 'base64url');
  for (const key of [current, previous]) {
    const text = key && unseal(key, bytes, browser);
    if (!text) continue;
    const flow = { ...parse(text), id: idOf(bytes), ...secretsOf(key, idOf(bytes), browser) };
    return flow.expires_at > now ? flow : undefined;
  }
  return undefined;
}

const idOf = (bytes: Buffer): Buffer => bytes.subarray(0, IV_BYTES + TAG_BYTES);

function parse(text: string): Flow & { expires_at: Date } {
  const [provider, ends, redirect_to, user_id, session_id, organization_id, unproven, locale] = JSON.parse(text) as [
    number,
    number,
    string,
    (string | null)?,
    (string | null)?,
    (string | null)?,
    number?,
    (string | null)?,
  ];
  return {
    provider: OAUTH_PROVIDERS[provider]!,
    redirect_to,
    linking: user_id && session_id ? { user_id, session_id, isUnproven: unproven === 1 } : undefined,
    organization_id: organization_id ?? undefined,
    locale: locale ?? null,
    expires_at: new Date(ends * 1000),
  };
}

const secretsOf = (key: MasterKey, id: Buffer, browser: string): Secrets => {
  const derive = (purpose: string) =>
    hmac(key.derive(`oauth-${purpose}`), `${id.toString('hex')}\0${browser}`).toString('base64url');
  return { nonce: derive('nonce'), code_verifier: derive('verifier') };
};

function unseal(key: MasterKey, bytes: Buffer, browser: string): string | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key), bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(browser));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

import { LIMITS } from '@gatehouse/contract';
import { after, seconds } from '../../platform/clock.ts';
import { type FlowSecrets, openState, sealState } from '../../platform/crypto/browser-state.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';

/** A redirect to the provider of a connection and back: a sign-in, or a test by an owner. */
interface SsoFlow {
  readonly connection_id: string;
  /** `settings_id` of the connection when the flow began. */
  readonly settings_id: string;
  /** Where the browser is sent at the end; see `safeRedirect`. */
  readonly redirect_to: string;
  /** The locale of a new account. */
  readonly locale?: string | null | undefined;
  /** Set if an owner tests the connection; otherwise the flow is a sign-in. */
  readonly test?: { readonly user_id: string; readonly session_id: string } | undefined;
}

export interface OpenedSsoFlow extends SsoFlow, FlowSecrets {
  /** The id that is stored when the state is consumed, so that it can be used only once. */
  readonly id: Buffer;
  readonly expires_at: Date;
}

export function sealSsoFlow(
  keyring: Keyring,
  flow: SsoFlow,
  browser: string,
  now: Date,
): { state: string } & FlowSecrets {
  const text = JSON.stringify({ ...flow, ends: seconds(after(now, LIMITS.oauthFlow)) });
  return sealState(keyring, { purpose: 'sso-flow', text, browser });
}

/** Returns undefined unless the state was issued by this service for this browser and has not expired. */
export function openSsoFlow(keyring: Keyring, state: string, browser: string, now: Date): OpenedSsoFlow | undefined {
  const opened = openState(keyring, { purpose: 'sso-flow', state, browser });
  if (!opened) return undefined;
  const { text, ...rest } = opened;
  const { ends, ...flow } = JSON.parse(text) as SsoFlow & { ends: number };
  const expires_at = new Date(ends * 1000);
  return expires_at > now ? { ...flow, ...rest, expires_at } : undefined;
}

import { LIMITS, OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { after, seconds } from '../../platform/clock.ts';
import { type FlowSecrets, openState, sealState } from '../../platform/crypto/browser-state.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';

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

export interface OpenedFlow extends Flow, FlowSecrets {
  /** Identifies the state. Stored when the state is used, so that it cannot be used again. */
  readonly id: Buffer;
  readonly expires_at: Date;
}

/** Seals the flow into a state that only this browser can use; see `sealState`. */
export function sealFlow(keyring: Keyring, flow: Flow, browser: string, now: Date): { state: string } & FlowSecrets {
  const { provider, redirect_to, linking, organization_id, locale } = flow;
  const fields = [
    OAUTH_PROVIDERS.indexOf(provider),
    seconds(after(now, LIMITS.oauthFlow)),
    redirect_to,
    ...(linking ? [linking.user_id, linking.session_id, null, Number(linking.isUnproven)] : []),
    ...(organization_id || locale ? [null, null, organization_id ?? null, 0, locale ?? null] : []),
  ];
  return sealState(keyring, { purpose: 'oauth-flow', text: JSON.stringify(fields), browser });
}

/** Returns undefined unless the state was issued by this service for this browser and has not expired. */
export function openFlow(keyring: Keyring, state: string, browser: string, now: Date): OpenedFlow | undefined {
  const opened = openState(keyring, { purpose: 'oauth-flow', state, browser });
  if (!opened) return undefined;
  const { text, ...rest } = opened;
  const flow = { ...parse(text), ...rest };
  return flow.expires_at > now ? flow : undefined;
}

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

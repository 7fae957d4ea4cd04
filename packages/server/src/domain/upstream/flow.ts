import { LIMITS } from '@gatehouse/contract';
import { after, seconds } from '../../platform/clock.ts';
import { type FlowSecrets, openState, type StatePurpose, sealState } from '../../platform/crypto/browser-state.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';

/** A redirect to a provider and back. Each kind of flow adds what its callback needs. */
export interface Flow {
  /** Where the browser is sent at the end; see `safeRedirect`. */
  readonly redirect_to: string;
}

export type OpenedFlow<F extends Flow> = F &
  FlowSecrets & {
    /** Identifies the state. Stored when the state is used, so that it cannot be used again. */
    readonly id: Buffer;
    readonly expires_at: Date;
  };

/** Seals the flow into a state that only this browser can use; see `sealState`. */
export function sealFlow<F extends Flow>(
  keyring: Keyring,
  purpose: StatePurpose,
  flow: F,
  browser: string,
  now: Date,
): { state: string } & FlowSecrets {
  const text = JSON.stringify({ ...flow, ends: seconds(after(now, LIMITS.oauthFlow)) });
  return sealState(keyring, { purpose, text, browser });
}

/** Returns undefined unless the state was issued by this service for this browser and has not expired. */
export function openFlow<F extends Flow>(
  keyring: Keyring,
  purpose: StatePurpose,
  state: unknown,
  browser: string | undefined,
  now: Date,
): OpenedFlow<F> | undefined {
  if (typeof state !== 'string' || browser === undefined) return undefined;
  const opened = openState(keyring, { purpose, state, browser });
  if (!opened) return undefined;
  const { text, ...rest } = opened;
  const { ends, ...flow } = JSON.parse(text) as F & { ends: number };
  const expires_at = new Date(ends * 1000);
  return expires_at > now ? ({ ...flow, ...rest, expires_at } as unknown as OpenedFlow<F>) : undefined;
}

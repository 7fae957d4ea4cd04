import type { LIMITS, MfaRequired } from '@gatehouse/contract';

/** A typed copy of the contract's limits, which keeps its schemas out of the bundle. `lifetime` is in seconds. */
const TOKEN: Pick<(typeof LIMITS)['mfaToken'], 'lifetime' | 'attempts'> = { lifetime: 300, attempts: 5 };
export const ATTEMPTS = TOKEN.attempts;

/** A sign-in whose first factor was right and whose second factor is missing. */
export interface PendingSignIn {
  readonly token: string;
  /** When the token expires, by the local clock. */
  readonly ends: number;
}

export const pendingSignInOf = ({ mfa_token, mfa_token_expires_in }: MfaRequired): PendingSignIn => ({
  token: mfa_token,
  ends: Date.now() + mfa_token_expires_in * 1000,
});

/** For third-party sign-in, whose redirect does not contain the expiry: the token was issued a moment ago. */
export const newPendingSignIn = (token: string): PendingSignIn => ({ token, ends: Date.now() + TOKEN.lifetime * 1000 });

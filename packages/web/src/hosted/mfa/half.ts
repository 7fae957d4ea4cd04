import type { LIMITS, MfaRequired } from '@gatehouse/contract';

/** The contract's, as a type alone: see `form/checks.ts`. */
const TOKEN: Pick<(typeof LIMITS)['mfaToken'], 'lifetime' | 'attempts'> = { lifetime: 300, attempts: 5 };
export const ATTEMPTS = TOKEN.attempts;

/** Half a sign-in: the first factor was right, the second is awaited. */
export interface Half {
  readonly token: string;
  /** By the clock of this machine. */
  readonly ends: number;
}

export const halfOf = ({ mfa_token, mfa_token_expires_in }: MfaRequired): Half => ({
  token: mfa_token,
  ends: Date.now() + mfa_token_expires_in * 1000,
});

/** From third-party sign-in, whose address says nothing of the time: it was made a moment ago. */
export const freshHalf = (token: string): Half => ({ token, ends: Date.now() + TOKEN.lifetime * 1000 });

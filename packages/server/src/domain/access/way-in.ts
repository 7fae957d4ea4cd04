import { after } from '../../platform/clock.ts';
import type { Deps } from '../context.ts';
import { ServiceError } from '../service-error.ts';
import type { SessionState } from '../sessions/state.ts';

/** Seconds. */
export const WAY_IN_WINDOW = 15 * 60;

/** Somebody has signed in, or given a second factor, in the last so many seconds. */
export function requireFresh({ clock }: Deps, { auth_time, mfa_verified_at }: SessionState, within: number): void {
  const oldest = after(clock.now(), -within);
  if (auth_time >= oldest || (mfa_verified_at !== null && mfa_verified_at >= oldest)) return;
  throw new ServiceError('mfa_required', 'sign in again, or verify your second factor, first');
}

/** Whoever has switched a second factor on must have given it in this session, and nobody have reset it since. */
export function requireSecondFactor(
  { aal, mfa_verified_at }: Pick<SessionState, 'aal' | 'mfa_verified_at'>,
  { mfa_enabled }: { mfa_enabled: boolean },
): void {
  if (mfa_enabled && (aal !== 'aal2' || mfa_verified_at === null)) {
    throw new ServiceError('mfa_required', 'verify your second factor at /auth/mfa/verify first');
  }
}

/**
 * The contract, section 2, "Adding a way in": a first password, a passkey or a linked identity outlives the session that
 * adds it. So whoever finds an open browser, or has only the first of two factors, cannot add one.
 */
export function requireWayIn(deps: Deps, session: SessionState, owner: { mfa_enabled: boolean }): void {
  requireSecondFactor(session, owner);
  requireFresh(deps, session, WAY_IN_WINDOW);
}

import { after } from '../../platform/clock.ts';
import type { Deps } from '../context.ts';
import { ServiceError } from '../service-error.ts';
import type { SessionState } from '../sessions/state.ts';

/** Seconds. */
const WINDOW = 15 * 60;

/** Somebody has signed in, or given a second factor, in the last so many seconds. */
export function requireFresh({ clock }: Deps, { auth_time, mfa_verified_at }: SessionState, within: number): void {
  const oldest = after(clock.now(), -within);
  if (auth_time >= oldest || (mfa_verified_at !== null && mfa_verified_at >= oldest)) return;
  throw new ServiceError('mfa_required', 'sign in again, or verify your second factor, first');
}

/**
 * The contract, section 2, "Adding a way in": a first password, a passkey or a linked identity outlives the session that
 * adds it. So whoever finds an open browser, or has only the first of two factors, cannot add one.
 */
export function requireWayIn(deps: Deps, session: SessionState, { mfa_enabled }: { mfa_enabled: boolean }): void {
  if (mfa_enabled && session.aal !== 'aal2') {
    throw new ServiceError('mfa_required', 'verify your second factor at /auth/mfa/verify first');
  }
  requireFresh(deps, session, WINDOW);
}

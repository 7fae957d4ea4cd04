import { after } from '../../platform/clock.ts';
import type { Deps } from '../context.ts';
import { ServiceError } from '../service-error.ts';
import type { SessionState } from '../sessions/state.ts';

/** Seconds. */
const WINDOW = 15 * 60;

/**
 * The contract, section 2, "Adding a way in": a first password, a passkey or a linked identity outlives the session that
 * adds it. So whoever finds an open browser, or has only the first of two factors, cannot add one.
 */
export function requireWayIn({ clock }: Deps, session: SessionState, { mfa_enabled }: { mfa_enabled: boolean }): void {
  const { aal, auth_time, mfa_verified_at } = session;
  if (mfa_enabled && aal !== 'aal2') {
    throw new ServiceError('mfa_required', 'verify your second factor at /auth/mfa/verify first');
  }
  const oldest = after(clock.now(), -WINDOW);
  if (auth_time >= oldest || (mfa_verified_at !== null && mfa_verified_at >= oldest)) return;
  throw new ServiceError('mfa_required', 'sign in again, or verify your second factor, first');
}

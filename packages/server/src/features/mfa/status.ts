import type { MfaStatus } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findMfaStatus } from '../../domain/mfa/queries.ts';

/** GET /auth/mfa/status */
export async function mfaStatus(deps: Deps, { user_id, mfa_verified_at }: SessionState): Promise<MfaStatus> {
  const found = await findMfaStatus(deps.db, user_id);
  if (!found) throw notSignedIn();
  return {
    enabled: found.mfa_enabled_at !== null,
    enabled_at: found.mfa_enabled_at?.toISOString() ?? null,
    recovery_codes_remaining: found.recovery_codes_remaining,
    mfa_verified_at: mfa_verified_at?.toISOString() ?? null,
  };
}

import type { Deps } from '../../domain/context.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findCheckedSession } from '../../domain/policy/queries.ts';
import { maxAgeOf, requireAllowed } from '../../domain/policy/refusal.ts';
import { accessClaims } from '../../domain/sessions/access-token.ts';
import { updateSessionVerified } from '../../domain/sessions/refresh/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

export interface VerifiedSession {
  readonly session_id: string;
  readonly mfa_verified_at: Date;
  readonly access_token: string;
  readonly expires_in: number;
}

export interface Verification {
  readonly now: Date;
  readonly session_ends: Date;
}

const ATTEMPTS = 3;

/**
 * §5.7: marks the session as verified by its second factor, which lasts for the step-up window. The access token that
 * follows has no restriction, so the policy must allow the session in all other respects.
 */
export async function markVerified(tx: Tx, deps: Deps, session: SessionState, now: Date): Promise<Verification> {
  const { session_id: sid } = session;
  const { ACCESS_TOKEN_TTL: access, SESSION_MAX_AGE } = deps.config;
  // Repeated if the policy or the second factor changes between the check and the update.
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await findCheckedSession(tx, sid, now);
    if (!found) break;
    const restricted = requireAllowed(found.policy, { ...found, aal: 'aal2' }, now);
    const family = maxAgeOf(found.policy, SESSION_MAX_AGE);
    const session_ends = await updateSessionVerified(tx, { sid, now, access, family, checked: { found, restricted } });
    if (!session_ends) continue;
    await deps.bus.announce(tx, now, [{ topic: 'session', key: sid }]);
    return { now, session_ends };
  }
  throw notSignedIn();
}

/** Called after the commit: signing is slow and must not happen inside a transaction. */
export async function issueVerified(
  deps: Deps,
  session: SessionState,
  { now, session_ends }: Verification,
): Promise<VerifiedSession> {
  const claims = accessClaims({ ...session, aal: 'aal2' });
  const token = await deps.accessTokens.issue(claims, { now, session_ends });
  return { session_id: session.session_id, mfa_verified_at: now, ...token };
}

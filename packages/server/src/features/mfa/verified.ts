import type { Deps } from '../../domain/context.ts';
import { notSignedIn } from '../../domain/service-error.ts';
import { accessClaims } from '../../domain/sessions/access-token.ts';
import { updateSessionVerified } from '../../domain/sessions/queries.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { after } from '../../platform/clock.ts';
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

/** §5.7: marks the session as verified by its second factor, which lasts for the step-up window. */
export async function markVerified(tx: Tx, deps: Deps, { session_id }: SessionState, now: Date): Promise<Verification> {
  const access_expires_at = after(now, deps.config.ACCESS_TOKEN_TTL);
  const session = await updateSessionVerified(tx, { session_id, now, access_expires_at });
  if (!session) throw notSignedIn();
  await deps.bus.announce(tx, now, [{ topic: 'session', key: session_id }]);
  return { now, session_ends: session.expires_at };
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

import type { Deps } from '../../domain/context.ts';
import { notSignedIn } from '../../domain/service-error.ts';
import { accessClaims } from '../../domain/sessions/access-token.ts';
import { extendAccess } from '../../domain/sessions/refresh/queries.ts';
import type { SessionState } from '../../domain/sessions/state.ts';

interface RenewedAccess {
  readonly state: SessionState;
  readonly access_token: string;
  readonly expires_in: number;
}

/**
 * POST /auth/organization naming the session's own organization: returns a fresh access token of the same session.
 * Nothing is revoked, so nothing enters the revocation feed, however often it is called.
 */
export async function renewAccess(deps: Deps, { session_id }: SessionState): Promise<RenewedAccess> {
  const now = deps.clock.now();
  const state = await extendAccess(deps.db, { sid: session_id, now, access: deps.config.ACCESS_TOKEN_TTL });
  if (!state) throw notSignedIn();
  const token = await deps.accessTokens.issue(accessClaims(state), { now, session_ends: state.expires_at });
  return { state, ...token };
}

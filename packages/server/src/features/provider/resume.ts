import type { Deps } from '../../domain/context.ts';
import { accessClaims } from '../../domain/sessions/access-token.ts';
import { extendAccess } from '../../domain/sessions/refresh/queries.ts';
import type { RefreshClaims } from '../../domain/sessions/refresh/token.ts';

interface Resumed {
  readonly session_id: string;
  readonly access_token: string;
}

/**
 * GET /auth/oauth-interactions/resume: a new access token of the session of the refresh cookie. The refresh token must
 * be unused and stays so. Returns undefined if the session has ended or the token was used.
 */
export async function resumeSession(deps: Deps, refresh: RefreshClaims): Promise<Resumed | undefined> {
  const now = deps.clock.now();
  const state = await extendAccess(deps.db, {
    sid: refresh.sid,
    refresh_jti: refresh.jti,
    now,
    access: deps.config.ACCESS_TOKEN_TTL,
  });
  if (!state) return undefined;
  const { access_token } = await deps.accessTokens.issue(accessClaims(state), { now, session_ends: state.expires_at });
  return { session_id: state.session_id, access_token };
}

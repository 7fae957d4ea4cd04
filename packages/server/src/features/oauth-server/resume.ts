import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { RefreshClaims } from '../../domain/sessions/refresh/token.ts';
import { renewAccess } from '../../domain/sessions/renew-access.ts';

interface Resumed {
  readonly session_id: string;
  readonly access_token: string;
}

/**
 * GET /auth/oauth-interactions/resume: issues a new access token for the session of the refresh cookie. The refresh
 * token must be unused and is not consumed. Returns undefined if the session has ended, its policy does not allow it
 * now, or the token was used.
 */
export async function resumeSession(
  deps: Deps,
  caller: Caller,
  { sid: session_id, jti: refresh_jti }: RefreshClaims,
): Promise<Resumed | undefined> {
  try {
    const { access_token } = await renewAccess(deps, caller, { session_id, refresh_jti });
    return { session_id, access_token };
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'internal_error') return undefined;
    throw error;
  }
}

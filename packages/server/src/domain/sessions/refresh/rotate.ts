import { after } from '../../../platform/clock.ts';
import { afterCommit, commitAndFail, transact } from '../../../platform/db/transact.ts';
import { recordAudit } from '../../audit/record.ts';
import type { Caller, Deps } from '../../context.ts';
import { notSignedIn, ServiceError } from '../../service-error.ts';
import { accessClaims } from '../access-token.ts';
import { revokeSession } from '../revoke.ts';
import { extendSession, findSpentRefresh, type RotatedSession, rotateSession } from './queries.ts';
import { isSuccessor, type RefreshClaims, signRefreshToken, successorOf } from './token.ts';

export interface SessionTokens {
  readonly session_id: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token: string;
}

/**
 * For a token that another tab has just used: the browser has a newer cookie. `Retry-After` distinguishes this 401 from
 * the end of a session.
 */
const usedConcurrently = () =>
  new ServiceError('authentication_required', 'this refresh token has just been used; retry with the newer cookie', {
    retryAfter: 1,
  });

/** Seconds in which a second use is attributed to another tab of the same browser. */
export const RACE_SECONDS = 10;

/** Seconds for which uses are kept: longer than RACE_SECONDS and than the maximum of REFRESH_GRACE_SECONDS. */
export const USES_KEPT = 300;

/** §5.5 POST /auth/refresh: one statement and one signature. The reuse of a token means that someone else has it. */
export async function rotate(deps: Deps, caller: Caller, claims: RefreshClaims): Promise<SessionTokens> {
  const now = deps.clock.now();
  const { ACCESS_TOKEN_TTL, REFRESH_TOKEN_TTL, SESSION_MAX_AGE } = deps.config;
  const ttl = { access: ACCESS_TOKEN_TTL, refresh: REFRESH_TOKEN_TTL, family: SESSION_MAX_AGE };
  const next_jti = successorOf(deps.keyring, claims.jti);
  const session = await rotateSession(deps.db, { sid: claims.sid, jti: claims.jti, next_jti, now, ttl });
  if (session) return issue(deps, { ...claims, jti: next_jti }, session, { now, issued_at: now });
  return answerSpent(deps, caller, claims, now);
}

async function answerSpent(deps: Deps, caller: Caller, claims: RefreshClaims, now: Date): Promise<SessionTokens> {
  const spent = await findSpentRefresh(deps.db, claims.sid, claims.jti, now);
  // Not a reuse: the session has ended, or this is still its current token, although the rotation has just failed.
  if (!spent || spent.refresh_jti === claims.jti) throw notSignedIn();
  const usedWithin = (length: number) => spent.used_at !== null && after(spent.used_at, length) > now;
  const grace = deps.config.REFRESH_GRACE_SECONDS;
  // Checked first: by the clock of another replica, the use may be slightly in the future.
  if (grace > 0 && usedWithin(grace) && isSuccessor(deps.keyring, claims.jti, spent.refresh_jti)) {
    const next_jti = spent.refresh_jti;
    const session = await extendSession(deps.db, claims.sid, next_jti, now, deps.config.ACCESS_TOKEN_TTL);
    if (session) return issue(deps, { ...claims, jti: next_jti }, session, { now, issued_at: spent.used_at! });
  }
  if (usedWithin(RACE_SECONDS)) throw usedConcurrently();
  return transact(deps.db, async (tx) => {
    if (await revokeSession(tx, deps, { id: claims.sid }, now)) {
      await recordAudit(tx, caller, {
        action: 'auth.refresh.reuse_detected',
        now,
        resource_type: 'session',
        resource_id: claims.sid,
        metadata: {},
        outcome: 'failure',
        organization_id: spent.organization_id,
        actor_id: spent.user_id,
      });
      const { request_id } = caller;
      afterCommit(tx, () =>
        deps.log.warn(
          { request_id, session_id: claims.sid, user_id: spent.user_id },
          'refresh token reuse detected: the token was probably stolen; the session is revoked',
        ),
      );
    }
    return commitAndFail(notSignedIn());
  });
}

interface Times {
  readonly now: Date;
  /** When the refresh token was created: at the use of its predecessor. */
  readonly issued_at: Date;
}

async function issue(
  deps: Deps,
  next: RefreshClaims,
  session: RotatedSession,
  { now, issued_at }: Times,
): Promise<SessionTokens> {
  const claims = accessClaims({ ...session, session_id: next.sid });
  const { access_token, expires_in } = await deps.accessTokens.issue(claims, { now, session_ends: session.expires_at });
  const refresh_token = signRefreshToken(deps.keyring, next, { issued_at, expires_at: session.expires_at });
  return { session_id: next.sid, access_token, expires_in, refresh_token };
}

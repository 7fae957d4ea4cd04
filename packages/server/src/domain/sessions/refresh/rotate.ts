import { after } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { afterCommit, commitAndFail, retry, transact } from '../../../platform/db/transact.ts';
import { recordAudit } from '../../audit/record.ts';
import type { Deps } from '../../context.ts';
import type { Caller } from '../../kernel/caller.ts';
import { notSignedIn, ServiceError } from '../../kernel/service-error.ts';
import { maxAgeOf, policyRefusal, policyRefused } from '../../policy/refusal.ts';
import { accessClaims } from '../access-token.ts';
import { revokeSession } from '../revoke.ts';
import {
  type Checked,
  extendSession,
  type FoundSession,
  findRefreshed,
  type RotatedSession,
  rotateSession,
} from './queries.ts';
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

const ATTEMPTS = 3;

/** §5.5 POST /auth/refresh: without a policy, one statement and one signature. The reuse of a token indicates theft. */
export async function rotate(deps: Deps, caller: Caller, claims: RefreshClaims): Promise<SessionTokens> {
  const now = deps.clock.now();
  const next = { ...claims, jti: successorOf(deps.keyring, claims.jti) };
  let session = await retry(() => rotateTo(deps.db, deps, { claims, next, now, checked: undefined }));
  // Repeated if the policy or the second factor changes between the check and the rotation.
  for (let attempt = 0; !session && attempt < ATTEMPTS; attempt++) {
    const found = await findRefreshed(deps.db, claims.sid, claims.jti, now);
    if (!found) throw notSignedIn();
    if (found.refresh_jti !== claims.jti) {
      const repeated = await answerSpent(deps, caller, claims, found);
      if (repeated) return repeated;
      continue;
    }
    const checked = await checkPolicy(deps, caller, claims, found);
    session = await changing(deps, claims, found, (tx) => rotateTo(tx, deps, { claims, next, now, checked }));
  }
  if (!session) throw notSignedIn();
  return issue(deps, next, session, { now, issued_at: now });
}

interface Rotation {
  readonly claims: RefreshClaims;
  readonly next: RefreshClaims;
  readonly now: Date;
  readonly checked: Checked | undefined;
}

function rotateTo(db: Db, { config }: Deps, { claims, next, now, checked }: Rotation) {
  const ttl = {
    access: config.ACCESS_TOKEN_TTL,
    refresh: config.REFRESH_TOKEN_TTL,
    family: maxAgeOf(checked?.found.policy ?? null, config.SESSION_MAX_AGE),
  };
  return rotateSession(db, { id: claims.sid, jti: claims.jti, next_jti: next.jti, now, ...ttl }, checked);
}

/**
 * docs/reference/policy-and-sso.md#policy: ends a session whose method or age the policy does not allow. A request from
 * a network that the policy does not allow fails, but changes nothing.
 */
async function checkPolicy(deps: Deps, caller: Caller, { sid }: RefreshClaims, found: FoundSession): Promise<Checked> {
  const now = deps.clock.now();
  const rule = policyRefusal(found.policy, { ...found, ip_address: caller.ip_address }, now);
  if (rule === 'allowed_networks') throw policyRefused(rule);
  if (rule !== undefined && rule !== 'require_mfa') {
    return transact(deps.db, async (tx) => {
      const about = {
        now,
        resource_type: 'session',
        resource_id: sid,
        metadata: { reason: 'policy', count: 1 },
      } as const;
      const { organization_id, user_id: actor_id } = found;
      if (await revokeSession(tx, deps, { id: sid }, now)) {
        await recordAudit(tx, caller, { ...about, action: 'auth.session.revoked', organization_id, actor_id });
      }
      return commitAndFail(notSignedIn());
    });
  }
  return { found, restricted: rule === 'require_mfa' };
}

/** Announces the session if `write` has restricted it or lifted its restriction. */
const changing = (
  deps: Deps,
  { sid }: RefreshClaims,
  found: FoundSession,
  write: (tx: Tx) => Promise<RotatedSession | undefined>,
): Promise<RotatedSession | undefined> =>
  transact(deps.db, async (tx) => {
    const session = await write(tx);
    if (session && (session.restricted !== null) !== found.restricted) {
      await deps.bus.announce(tx, deps.clock.now(), [{ topic: 'session', key: sid }]);
    }
    return session;
  });

/**
 * For a token that is not the current one of its session: repeated, used concurrently, or stolen. Returns undefined if
 * the session has changed since it was found.
 */
async function answerSpent(
  deps: Deps,
  caller: Caller,
  claims: RefreshClaims,
  spent: FoundSession,
): Promise<SessionTokens | undefined> {
  const now = deps.clock.now();
  const usedWithin = (length: number) => spent.used_at !== null && after(spent.used_at, length) > now;
  const grace = deps.config.REFRESH_GRACE_SECONDS;
  // Checked first: by the clock of another replica, the use may be slightly in the future.
  if (grace > 0 && usedWithin(grace) && isSuccessor(deps.keyring, claims.jti, spent.refresh_jti)) {
    const next_jti = spent.refresh_jti;
    const checked = await checkPolicy(deps, caller, claims, spent);
    const family = maxAgeOf(spent.policy, deps.config.SESSION_MAX_AGE);
    const extension = { sid: claims.sid, now, access: deps.config.ACCESS_TOKEN_TTL, family, checked };
    const session = await changing(deps, claims, spent, (tx) => extendSession(tx, next_jti, extension));
    return session && issue(deps, { ...claims, jti: next_jti }, session, { now, issued_at: spent.used_at! });
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
  const { access_token, expires_in } = await deps.accessTokens.issue(claims, {
    now,
    session_ends: session.expires_at,
    restricted: session.restricted !== null,
  });
  const refresh_token = signRefreshToken(deps.keyring, next, { issued_at, expires_at: session.expires_at });
  return { session_id: next.sid, access_token, expires_in, refresh_token };
}

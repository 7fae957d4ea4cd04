import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { notSignedIn } from '../kernel/service-error.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { findCheckedSession } from '../policy/queries.ts';
import { maxAgeOf, requireAllowed } from '../policy/refusal.ts';
import { accessClaims } from './access-token.ts';
import { extendAccess } from './refresh/queries.ts';

interface RenewedAccess {
  readonly state: SessionState;
  readonly access_token: string;
  readonly expires_in: number;
}

const ATTEMPTS = 3;

/**
 * A fresh access token of a session, checked against the policy of its organization. Nothing is revoked, so nothing
 * enters the revocation feed, however often it is called. With `refresh_jti`: only while that is the unused refresh
 * token of the session.
 */
export async function renewAccess(
  deps: Deps,
  caller: Caller,
  { session_id: sid, refresh_jti }: { readonly session_id: string; readonly refresh_jti?: string },
): Promise<RenewedAccess> {
  const now = deps.clock.now();
  const extension = { sid, refresh_jti, now, access: deps.config.ACCESS_TOKEN_TTL };
  let state = await extendAccess(deps.db, { ...extension, family: deps.config.SESSION_MAX_AGE, checked: undefined });
  // Repeated if the policy or the second factor changes between the check and the update.
  for (let attempt = 0; !state && attempt < ATTEMPTS; attempt++)
    state = await renewUnderPolicy(deps, caller, extension);
  if (!state) throw notSignedIn();
  const { expires_at: session_ends, restricted } = state;
  const token = await deps.accessTokens.issue(accessClaims(state), {
    now,
    session_ends,
    restricted: restricted !== null,
  });
  return { state, ...token };
}

async function renewUnderPolicy(
  deps: Deps,
  caller: Caller,
  extension: { sid: string; refresh_jti: string | undefined; now: Date; access: number },
): Promise<SessionState | undefined> {
  const { sid, now } = extension;
  const found = await findCheckedSession(deps.db, sid, now);
  if (!found) throw notSignedIn();
  const restricted = requireAllowed(found.policy, { ...found, ip_address: caller.ip_address }, now);
  const family = maxAgeOf(found.policy, deps.config.SESSION_MAX_AGE);
  return transact(deps.db, async (tx) => {
    const state = await extendAccess(tx, { ...extension, family, checked: { found, restricted } });
    if (state && (state.restricted !== null) !== found.restricted) {
      await deps.bus.announce(tx, now, [{ topic: 'session', key: sid }]);
    }
    return state;
  });
}

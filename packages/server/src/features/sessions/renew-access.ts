import type { Caller, Deps } from '../../domain/context.ts';
import { findCheckedSession } from '../../domain/policy/queries.ts';
import { requireAllowed } from '../../domain/policy/refusal.ts';
import { notSignedIn } from '../../domain/service-error.ts';
import { accessClaims } from '../../domain/sessions/access-token.ts';
import { extendAccess } from '../../domain/sessions/refresh/queries.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { transact } from '../../platform/db/transact.ts';

interface RenewedAccess {
  readonly state: SessionState;
  readonly access_token: string;
  readonly expires_in: number;
}

const ATTEMPTS = 3;

/**
 * POST /auth/organization naming the session's own organization: returns a fresh access token of the same session.
 * Nothing is revoked, so nothing enters the revocation feed, however often it is called.
 */
export async function renewAccess(
  deps: Deps,
  caller: Caller,
  { session_id: sid }: SessionState,
): Promise<RenewedAccess> {
  const now = deps.clock.now();
  const extension = { sid, now, access: deps.config.ACCESS_TOKEN_TTL };
  let state = await extendAccess(deps.db, { ...extension, checked: undefined });
  // Repeated if the policy changes between the check and the update.
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
  extension: { readonly sid: string; readonly now: Date; readonly access: number },
): Promise<SessionState | undefined> {
  const { sid, now } = extension;
  const found = await findCheckedSession(deps.db, sid, now);
  if (!found) throw notSignedIn();
  const { policy } = found;
  const restricted = requireAllowed(policy, { ...found, ip_address: caller.ip_address }, now);
  return transact(deps.db, async (tx) => {
    const state = await extendAccess(tx, { ...extension, checked: { policy, restricted } });
    if (state && (state.restricted !== null) !== found.restricted) {
      await deps.bus.announce(tx, now, [{ topic: 'session', key: sid }]);
    }
    return state;
  });
}

import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { userSession } from '../../domain/kernel/principal.ts';
import type { RefreshClaims } from '../../domain/sessions/refresh/token.ts';
import { revokeSession } from '../../domain/sessions/revoke.ts';
import { transact } from '../../platform/db/transact.ts';

/** POST /auth/logout: ends the session of the access token or, without one, of the refresh cookie. */
export async function logout(deps: Deps, caller: Caller, refresh: RefreshClaims | undefined): Promise<void> {
  const now = deps.clock.now();
  const session_id = userSession(caller.principal)?.session_id ?? refresh?.sid;
  if (session_id === undefined) return;
  await transact(deps.db, async (tx) => {
    const ended = await revokeSession(tx, deps, { id: session_id }, now);
    // The session has already ended, for example by a double click.
    if (!ended) return;
    await recordAudit(tx, caller, {
      action: 'auth.logout',
      now,
      resource_type: 'session',
      resource_id: session_id,
      metadata: {},
      organization_id: ended.organization_id,
      actor_id: ended.user_id,
    });
  });
}

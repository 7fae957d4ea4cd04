import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { lowerGrants } from '../oauth-server/grants/queries.ts';
import { lowerSessions } from '../sessions/queries.ts';
import { markStale } from '../sessions/role-changes/mark.ts';

interface Lowered {
  readonly user_id: string;
  /** If this session began with a passkey, it and its grants keep `aal2`, which the passkey has proved. */
  readonly except_passkey_session?: string;
}

/**
 * docs/reference/mfa.md#removing-a-second-factor, called after `clearMfa`: lowers the sessions and grants that are
 * `aal2` only by the removed factor.
 */
export async function lowerAssurance(tx: Tx, deps: Deps, lowered: Lowered, now: Date): Promise<void> {
  await lowerSessions(tx, lowered);
  await lowerGrants(tx, lowered);
  // Drops cached sessions and grants.
  await deps.bus.announce(tx, now, [{ topic: 'user', key: lowered.user_id }]);
  // Access tokens with `aal2` are stale.
  await markStale(tx, deps, { user_id: lowered.user_id }, now);
}

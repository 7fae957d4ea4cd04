import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import type { OrganizationPermission } from '../kernel/permissions.ts';
import { notSignedIn } from '../kernel/service-error.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { lockActiveUser } from '../users/queries.ts';
import { readAuth, requireFreshAuth } from './fresh-auth.ts';
import { type ActingMember, requirePermission } from './require-permission.ts';

/**
 * Checks the permission and the fresh proof again, in the transaction that writes: the guards read cached values, which
 * may be outdated. Locks the user, so that a concurrent change of the second factor is either seen here or waits.
 */
export async function requireFreshPermission(
  tx: Tx,
  deps: Deps,
  session: SessionState,
  permission: OrganizationPermission,
): Promise<ActingMember> {
  if (!(await lockActiveUser(tx, session.user_id))) throw notSignedIn();
  const current = await readAuth(tx, session, deps.clock.now());
  requireFreshAuth(deps, current.session, current.owner);
  return requirePermission(tx, { kind: 'user', session }, permission);
}

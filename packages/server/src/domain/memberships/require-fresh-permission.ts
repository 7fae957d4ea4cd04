import type { Tx } from '../../platform/db/connect.ts';
import { readAuth, requireFreshAuth } from '../access/fresh-auth.ts';
import type { OrganizationPermission } from '../access/roles.ts';
import type { Deps } from '../context.ts';
import { notSignedIn } from '../service-error.ts';
import type { SessionState } from '../sessions/state.ts';
import { lockActiveUser } from '../users/queries.ts';
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

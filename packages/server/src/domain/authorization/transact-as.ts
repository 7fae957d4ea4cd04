import type { Tx } from '../../platform/db/connect.ts';
import { type CommittedFailure, transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { notSignedIn } from '../kernel/service-error.ts';
import { lockActiveUser } from '../users/queries.ts';
import { requirePlatformRole } from './administer.ts';
import { readAuth, requireFreshAuth } from './fresh-auth.ts';
import { requireLiveSession } from './live-session.ts';
import { type ActingMember, requirePermission } from './require-permission.ts';

interface Exchange {
  readonly deps: Deps;
  readonly caller: Caller;
}

interface Options<L> {
  /** Takes the locks that precede those of the check, in the order of `lock-order.ts`. */
  readonly locks?: (tx: Tx) => Promise<L>;
}

interface Checked {
  /** The caller as a member of the organization. Throws if the route requires no permission. */
  readonly member: ActingMember;
}

/**
 * Runs a transaction for the caller of a route: takes the locks of the use case, then checks again what the access list
 * of the route requires, then works. The guards read cached values, which may be seconds old. The locks come first:
 * otherwise two administrators who remove each other would deadlock, each holding the lock on their own row.
 */
export const transactAs = <T, L = undefined>(
  { deps, caller }: Exchange,
  { locks }: Options<L>,
  work: (tx: Tx, checked: Checked & { readonly locked: L }) => Promise<T | CommittedFailure>,
): Promise<Exclude<T, CommittedFailure>> =>
  transact(deps.db, async (tx) => {
    const locked = (await locks?.(tx)) as L;
    const checked = await recheckAccess(tx, { deps, caller });
    return work(tx, Object.assign(checked, { locked }));
  });

/** Nothing is checked for the command line and for the service itself, which have no access list. */
export async function recheckAccess(tx: Tx, { deps, caller }: Exchange): Promise<Checked> {
  const { principal, requirements } = caller;
  let member: ActingMember | undefined;
  if (requirements && principal) {
    const { permissions, platform_role, fresh } = requirements;
    const session = fresh && principal.kind === 'user' ? principal.session : undefined;
    // Locked first, so that a concurrent change of the second factor is either seen here or waits.
    if (session && !(await lockActiveUser(tx, session.user_id))) throw notSignedIn();
    if (platform_role) await requirePlatformRole(tx, caller, platform_role);
    for (const permission of permissions) member = await requirePermission(tx, principal, permission);
    if (!platform_role && permissions.length === 0) await requireLiveSession(tx, principal);
    if (session) {
      const current = await readAuth(tx, session, deps.clock.now());
      requireFreshAuth(deps, current.session, current.owner);
    }
  }
  return {
    get member() {
      if (!member) throw new Error('the access list of this route contains no permission');
      return member;
    },
  };
}

import type { PlatformRoleChange, User } from '@gatehouse/contract';
import { lockExistingUser } from '../../domain/access/administer.ts';
import { readAuth, requireFreshAuth } from '../../domain/access/fresh-auth.ts';
import { type Principal, requireUserSession } from '../../domain/access/principal.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { changePlatformRole, lockPlatformOwners } from '../../domain/users/platform-role.ts';
import { transact } from '../../platform/db/transact.ts';
import { findOne } from './find.ts';

/** PUT /admin/users/:id/platform-role: null revokes the role. The last active owner keeps theirs. */
export async function setPlatformRole(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { user_id, role }: PlatformRoleChange & { user_id: string },
): Promise<User> {
  await transact(deps.db, async (tx) => {
    await lockPlatformOwners(tx);
    const user = await lockExistingUser(tx, principal, { user_id, role: 'owner' });
    const current = await readAuth(tx, requireUserSession(principal), deps.clock.now());
    requireFreshAuth(deps, current.session, current.owner);
    // Revoking the role of a disabled account is allowed, so that enabling the account does not restore the role.
    if (role !== null && user.platform_role !== role && user.status !== 'active') {
      throw new ServiceError('conflict', 'this account is disabled; enable it first');
    }
    await changePlatformRole(tx, deps, caller, { user_id, role });
  });
  return findOne(deps, user_id);
}

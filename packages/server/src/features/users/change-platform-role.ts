import type { PlatformRoleChange, User } from '@gatehouse/contract';
import { lockExistingUser } from '../../domain/authorization/administer.ts';
import { readAuth, requireFreshAuth } from '../../domain/authorization/fresh-auth.ts';
import { changePlatformRole, lockPlatformOwners } from '../../domain/authorization/platform-role.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { type Principal, requireUserSession } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
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

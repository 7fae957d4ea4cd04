import { lockAdministeredUser } from '../../domain/access/administer.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { deleteAccount } from '../../domain/users/delete-account.ts';
import { lockPlatformOwners } from '../../domain/users/platform-role.ts';
import { transact } from '../../platform/db/transact.ts';

/** DELETE /admin/users/:id: a soft delete; 204 also if repeated. */
export async function deleteUser(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    await lockPlatformOwners(tx);
    const user = await lockAdministeredUser(tx, principal, { user_id, role: 'admin' });
    if (user.status === 'deleted') return;
    await deleteAccount(tx, deps, caller, { user, bySelf: false, now });
  });
}

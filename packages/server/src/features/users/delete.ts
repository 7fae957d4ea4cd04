import { lockAdministeredUser } from '../../domain/authorization/administer.ts';
import { lockPlatformOwners } from '../../domain/authorization/platform-role.ts';
import type { Deps } from '../../domain/context.ts';
import { deleteAccount } from '../../domain/endings/delete-account.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { Principal } from '../../domain/kernel/principal.ts';
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

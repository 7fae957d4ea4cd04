import { NIL_UUID } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockExistingUser } from '../../domain/authorization/administer.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { Principal } from '../../domain/kernel/principal.ts';
import { revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { transact } from '../../platform/db/transact.ts';

/** DELETE /admin/users/:id/sessions: ends all sessions of a user, who may be the caller. Audited if one has ended. */
export async function signOut(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const user = await lockExistingUser(tx, principal, { user_id, role: 'admin' });
    const count = await revokeUserSessions(tx, deps, { user_id, grants: 'all', now });
    if (count === 0) return;
    await recordAudit(tx, caller, {
      action: 'auth.session.revoked',
      now,
      resource_type: 'user',
      resource_id: user_id,
      organization_id: user.last_organization_id ?? NIL_UUID,
      metadata: { reason: 'administrator', count },
    });
  });
}

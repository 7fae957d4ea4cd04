import { NIL_UUID, type User, type UserStatusChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockExistingUser } from '../../domain/authorization/administer.ts';
import { lockPlatformOwners, requireAnotherOwner } from '../../domain/authorization/platform-role.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { Principal } from '../../domain/kernel/principal.ts';
import { recordStatusOfMember } from '../../domain/memberships/account-events.ts';
import { deleteMfaTokens } from '../../domain/mfa/queries.ts';
import { deleteOneTimeTokens } from '../../domain/one-time/queries.ts';
import { revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { updateStatus } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { findOne } from './find.ts';

/** PATCH /admin/users/:id: disables or enables a user. An unchanged status is neither written nor audited. */
export async function changeStatus(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { user_id, status }: UserStatusChange & { user_id: string },
): Promise<User> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    if (status === 'disabled') await lockPlatformOwners(tx);
    const user = await lockExistingUser(tx, principal, { user_id, role: 'admin' });
    if (user.status === status) return;
    const about = {
      now,
      resource_type: 'user',
      resource_id: user_id,
      organization_id: user.last_organization_id ?? NIL_UUID,
    } as const;
    if (status === 'disabled') {
      await requireAnotherOwner(tx, user);
      await updateStatus(tx, { user_id, status, now });
      const sessions_revoked = await endAccess(tx, deps, user_id, now);
      await recordAudit(tx, caller, { ...about, action: 'user.disabled', metadata: { sessions_revoked } });
      await recordStatusOfMember(tx, caller, { action: 'member.disabled', user_id, now });
    } else {
      await updateStatus(tx, { user_id, status, now });
      await recordAudit(tx, caller, { ...about, action: 'user.enabled', metadata: {} });
      await recordStatusOfMember(tx, caller, { action: 'member.enabled', user_id, now });
      await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
    }
  });
  return findOne(deps, user_id);
}

/** Ends sessions and pending sign-ins. Credentials stay for a later enabling; reset links are rejected until then. */
async function endAccess(tx: Tx, deps: Deps, user_id: string, now: Date): Promise<number> {
  const sessions_revoked = await revokeUserSessions(tx, deps, { user_id, grants: 'all', now });
  await revokeTrustedBrowsers(tx, user_id, now);
  await deleteMfaTokens(tx, user_id);
  await deleteOneTimeTokens(tx, user_id, ['login_code', 'email_change'], now);
  return sessions_revoked;
}

import { NIL_UUID } from '@gatehouse/contract';
import { lockAdministeredUser } from '../../domain/access/administer.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { deleteAvatars } from '../../domain/avatars/queries.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { revokeIdentities } from '../../domain/identities/queries.ts';
import { revokeMemberships } from '../../domain/memberships/queries.ts';
import { clearMfa } from '../../domain/mfa/clear.ts';
import { deleteOneTimeTokens } from '../../domain/one-time/queries.ts';
import { revokePasskeys } from '../../domain/passkeys/queries.ts';
import { revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { lockPlatformOwners, requireAnotherOwner } from '../../domain/users/platform-role.ts';
import { updateDeleted } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';

/**
 * DELETE /admin/users/:id: soft and idempotent. The row stays as the target of audit rows. The email is free at once;
 * an account that registers it inherits nothing. A reset link stays, to report that the account is gone (§4.7).
 */
export async function deleteUser(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    await lockPlatformOwners(tx);
    const user = await lockAdministeredUser(tx, principal, { user_id, role: 'admin' });
    if (user.status === 'deleted') return;
    await requireAnotherOwner(tx, user);
    await updateDeleted(tx, user_id, now);
    const sessions_revoked = await revokeUserSessions(tx, deps, { user_id, now });
    await clearMfa(tx, user_id, now);
    await revokePasskeys(tx, user_id, now);
    await revokeIdentities(tx, user_id, now);
    await deleteOneTimeTokens(tx, user_id, ['login_code', 'email_verification', 'email_change']);
    await revokeMemberships(tx, user_id, now);
    await deleteAvatars(tx, user_id);
    await recordAudit(tx, caller, {
      action: 'user.deleted',
      now,
      resource_type: 'user',
      resource_id: user_id,
      organization_id: user.last_organization_id ?? NIL_UUID,
      metadata: { sessions_revoked },
    });
  });
}

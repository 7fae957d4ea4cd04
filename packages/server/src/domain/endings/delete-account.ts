import { NIL_UUID } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { recordAudit, recordAudits } from '../audit/record.ts';
import { requireAnotherOwner } from '../authorization/platform-role.ts';
import { deleteAvatars } from '../avatars/queries.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { revokeMemberships } from '../memberships/queries.ts';
import { clearMfa } from '../mfa/clear.ts';
import { revokeConsents } from '../oauth-server/consents/queries.ts';
import { cancelOneTimeMail, deleteOneTimeTokens } from '../one-time/queries.ts';
import { revokePasskeys } from '../passkeys/queries.ts';
import { revokeUserSessions } from '../sessions/revoke.ts';
import { deleteSsoIdentities } from '../sso/identities/queries.ts';
import { revokeIdentities } from '../upstream/queries.ts';
import { updateDeleted } from '../users/queries.ts';

interface Deletion {
  /** Locked by this transaction, which has also called `lockPlatformOwners`. */
  readonly user: {
    readonly id: string;
    readonly platform_role: string | null;
    readonly status: string;
    readonly last_organization_id: string | null;
  };
  readonly bySelf: boolean;
  readonly now: Date;
}

/**
 * Deletes an account: the row stays as the target of audit rows. The email is free at once; an account that registers
 * it inherits nothing. A reset link stays, to report that the account is gone (§4.7). 409 for the last platform owner.
 */
export async function deleteAccount(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { user, bySelf, now }: Deletion,
): Promise<void> {
  const { id: user_id } = user;
  await requireAnotherOwner(tx, user);
  await updateDeleted(tx, user_id, now);
  const sessions_revoked = await revokeUserSessions(tx, deps, { user_id, grants: 'all', now });
  await clearMfa(tx, user_id, now);
  await revokePasskeys(tx, user_id, now);
  await revokeIdentities(tx, user_id, now);
  await deleteSsoIdentities(tx, user_id);
  await deleteOneTimeTokens(tx, user_id, ['login_code', 'email_verification', 'email_change'], now);
  await cancelOneTimeMail(tx, user_id, 'password_reset', now);
  const left = await revokeMemberships(tx, user_id, now);
  await revokeConsents(tx, user_id, now);
  await deleteAvatars(tx, user_id);
  await recordAudit(tx, caller, {
    action: 'user.deleted',
    now,
    resource_type: 'user',
    resource_id: user_id,
    organization_id: user.last_organization_id ?? NIL_UUID,
    metadata: { sessions_revoked, ...(bySelf && { by: 'self' }) },
  });
  await recordAudits(
    tx,
    caller,
    left.map(({ organization_id, role }) => ({
      action: 'member.removed',
      now,
      resource_type: 'member',
      resource_id: user_id,
      organization_id,
      metadata: { role, left: bySelf, reason: 'account' },
    })),
  );
}

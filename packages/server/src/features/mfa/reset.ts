import { NIL_UUID } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockExistingUser } from '../../domain/authorization/administer.ts';
import { requireSecondFactor } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { isUser, type Principal, requireUserSession } from '../../domain/kernel/principal.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import { clearMfa } from '../../domain/mfa/clear.ts';
import { lowerAssurance } from '../../domain/mfa/lower.ts';
import { findLiveSession } from '../../domain/sessions/queries.ts';
import { notify } from '../../domain/users/notify.ts';
import { transact } from '../../platform/db/transact.ts';

/** POST /admin/users/:id/mfa/reset: for lost authenticator and recovery codes. Lowers sessions and grants to `aal1`. */
export async function reset(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const owner = await lockExistingUser(tx, principal, { user_id, role: 'admin' });
    // Resetting one's own MFA requires the second factor, as /auth/mfa/disable does.
    if (isUser(principal, user_id)) {
      const current = await findLiveSession(tx, requireUserSession(principal).session_id, now);
      if (!current) throw notSignedIn();
      requireSecondFactor(current, { mfa_enabled: owner.mfa_enabled_at !== null });
    }
    await clearMfa(tx, user_id, now);
    await lowerAssurance(tx, deps, { user_id }, now);
    await recordAudit(tx, caller, {
      action: 'mfa.reset',
      now,
      resource_type: 'user',
      resource_id: user_id,
      organization_id: owner.last_organization_id ?? NIL_UUID,
      metadata: {},
    });
    if (owner.mfa_enabled_at !== null) await notify(tx, deps, owner, { template: 'mfa_disabled', params: {} });
  });
}

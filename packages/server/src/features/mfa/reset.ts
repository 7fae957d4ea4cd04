import { NIL_UUID } from '@gatehouse/contract';
import { reaches } from '../../domain/access/roles.ts';
import { requireSecondFactor } from '../../domain/access/way-in.ts';
import { notify } from '../../domain/accounts/notify.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { notSignedIn, ServiceError } from '../../domain/service-error.ts';
import { findLiveSession } from '../../domain/sessions/queries.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { transact } from '../../platform/db/transact.ts';
import { clearMfa } from './clear.ts';
import { clearVerifiedSessions, findMfaOwner } from './queries.ts';

/** POST /admin/users/:id/mfa/reset: for somebody who has lost app and codes. Every session owes its step-up again. */
export async function reset(deps: Deps, caller: Caller, session: SessionState, user_id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const owner = await findMfaOwner(tx, user_id);
    if (!owner) throw new ServiceError('not_found', 'there is no such user');
    // The contract, section 3: nobody resets a higher platform rank.
    if (owner.platform_role !== null && !reaches(session.platform_role, owner.platform_role)) {
      throw new ServiceError('forbidden', 'this user has a higher platform role than you');
    }
    // One's own second factor is given before it is taken away, as at /auth/mfa/disable.
    if (user_id === session.user_id) {
      const current = await findLiveSession(tx, session.session_id, now);
      if (!current) throw notSignedIn();
      requireSecondFactor(current, { mfa_enabled: owner.mfa_enabled_at !== null });
    }
    await clearMfa(tx, user_id, now);
    await clearVerifiedSessions(tx, user_id);
    await recordAudit(tx, caller, {
      action: 'mfa.reset',
      now,
      resource_type: 'user',
      resource_id: user_id,
      organization_id: owner.last_organization_id ?? NIL_UUID,
      metadata: {},
    });
    if (owner.mfa_enabled_at !== null) await notify(tx, deps, owner, { template: 'mfa_disabled', params: {} });
    await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
  });
}

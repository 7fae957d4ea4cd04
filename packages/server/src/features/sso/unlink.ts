import { recordAudits } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findMembershipForUpdate } from '../../domain/memberships/queries.ts';
import { endGrants } from '../../domain/oauth-server/grants/end.ts';
import { revokeSessions } from '../../domain/sessions/queries.ts';
import { deleteSsoIdentitiesOf } from '../../domain/sso/identities/queries.ts';
import { lockUsers } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

/**
 * DELETE /orgs/:org_id/members/:user_id/sso-identity: unlinks the member at all connections of the organization, so
 * that another subject can be linked, and ends the member's sessions of these connections. 204 also for a member who is
 * not linked, or who has left; 404 for a user who never was a member.
 */
export async function unlink(deps: Deps, caller: Caller, session: SessionState, user_id: string): Promise<void> {
  const now = deps.clock.now();
  const { organization_id } = session;
  // Serializes this request and a concurrent sign-in of the member, which locks the user's row too.
  const locks = (tx: Tx) => lockUsers(tx, [session.user_id, user_id]);
  await transactAs({ deps, caller }, { locks }, async (tx) => {
    if (!(await findMembershipForUpdate(tx, { organization_id, user_id }))) {
      throw new ServiceError('not_found', 'there is no such member');
    }
    const removed = await deleteSsoIdentitiesOf(tx, { organization_id, user_id });
    for (const { connection_id } of removed) {
      await revokeSessions(tx, { user_id, connection_id }, now);
      await endGrants(tx, deps, { user_id, connection_id }, now);
    }
    if (removed.length > 0) await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
    await recordAudits(
      tx,
      caller,
      removed.map(({ connection_id }) => ({
        action: 'auth.sso.unlinked',
        now,
        resource_type: 'user',
        resource_id: user_id,
        metadata: { connection_id },
      })),
    );
  });
}

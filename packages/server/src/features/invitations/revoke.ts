import { recordAudit } from '../../domain/audit/record.ts';
import { requireRank } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { findInvitation, revokeInvitation } from '../../domain/invitations/queries.ts';
import { conflict, noSuchInvitation } from '../../domain/invitations/refusals.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { cancelInvitationMail } from './invitation-mail.ts';

/** DELETE /orgs/:org_id/invitations/:id: idempotent; 409 if it was accepted. */
export async function revoke(deps: Deps, caller: Caller, principal: Principal, id: string): Promise<void> {
  const now = deps.clock.now();
  const key = { id, organization_id: actorOf(principal).organization_id, now };
  await transactAs({ deps, caller }, {}, async (tx, { member: actor }) => {
    const before = await findInvitation(tx, key);
    if (!before) throw noSuchInvitation();
    if (before.status === 'revoked') return;
    requireRank(actor, before.role);
    const revoked = await revokeInvitation(tx, key);
    if (!revoked) {
      const after = await findInvitation(tx, key);
      if (after?.status === 'revoked') return;
      throw conflict('the invitation has been accepted; remove the member instead');
    }
    await cancelInvitationMail(tx, revoked, now);
    await recordAudit(tx, caller, {
      action: 'invitation.revoked',
      now,
      resource_type: 'invitation',
      resource_id: id,
      metadata: {},
    });
  });
}

import { type InvitationAccepted, LIMITS } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { recordAudit } from '../audit/record.ts';
import type { Caller } from '../kernel/caller.ts';
import { countOtherMemberships, findMembershipForUpdate, upsertMembership } from '../memberships/queries.ts';
import { deleteMemberRoles } from '../roles/queries.ts';
import { assignOffered } from './assign-offered.ts';
import type { OpenInvitation } from './queries.ts';
import { conflict } from './refusals.ts';

interface Joining {
  /** Claimed in this transaction. */
  readonly invitation: OpenInvitation;
  /** The caller has locked this user's row, so that concurrent requests cannot both take the last free membership. */
  readonly user_id: string;
  readonly now: Date;
}

/** Adds an existing user, up to the limit per user: all memberships of a user are listed without paging. */
export async function becomeMember(
  tx: Tx,
  caller: Caller,
  { invitation, user_id, now }: Joining,
): Promise<InvitationAccepted> {
  const { id, organization_id, role: offered } = invitation;
  const membershipKey = { organization_id, user_id, role: offered, now };
  if ((await countOtherMemberships(tx, membershipKey)) >= LIMITS.membershipsPerUser) {
    throw conflict(
      `you are a member of ${LIMITS.membershipsPerUser} organizations, which is the maximum; leave one first`,
    );
  }
  const before = await findMembershipForUpdate(tx, membershipKey);
  const role = await upsertMembership(tx, membershipKey);
  // An active member keeps all roles. An ended membership may have roles left if an old version ended it.
  if (!before || before.revoked_at !== null) {
    await deleteMemberRoles(tx, membershipKey);
    await assignOffered(tx, invitation, user_id);
  }
  await recordAudit(tx, caller, {
    action: 'invitation.accepted',
    now,
    resource_type: 'invitation',
    resource_id: id,
    organization_id,
    actor_id: user_id,
    metadata: { role, new_user: false },
  });
  return { status: 'accepted', organization_id, role };
}

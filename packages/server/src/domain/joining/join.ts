import { type InvitationAccepted, LIMITS } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import type { AuditEvent } from '../audit/events.ts';
import { recordAudit } from '../audit/record.ts';
import { assignOffered } from '../invitations/assign-offered.ts';
import type { OpenInvitation } from '../invitations/queries.ts';
import { conflict } from '../invitations/refusals.ts';
import type { Caller } from '../kernel/caller.ts';
import type { OrganizationRole } from '../kernel/permissions.ts';
import { countOtherMemberships, findMembershipForUpdate, upsertMembership } from '../memberships/queries.ts';
import { deleteMemberRoles, findAssignableRoles, insertMemberRoles } from '../roles/queries.ts';
import { insertInvitedUser, type NewUser } from '../users/queries.ts';
import { wasMember } from './queries.ts';

/*
 * Who becomes a member of what. There are four ways: an existing or a new user joins by an invitation, or by a rule of
 * the organization, as a connection of single sign-on has one.
 *
 * Lock order (`lockUsers` has that of all tables): the caller locks the inviter and the existing user, for an
 * invitation with `claim`, so that concurrent requests cannot both take the last free membership of the user; then
 * these functions lock the membership.
 */

/** What the organization gives to users that it adds without an invitation. */
export interface JoinRule {
  readonly role: OrganizationRole;
  /** Roles that were deleted since are left out. */
  readonly role_ids: readonly string[];
}

interface Invited {
  /** Claimed in this transaction. */
  readonly invitation: OpenInvitation;
  readonly user_id: string;
  readonly now: Date;
}

/** Adds an existing user, up to the limit per user: all memberships of a user are listed without paging. */
export async function joinByInvitation(
  tx: Tx,
  caller: Caller,
  { invitation, user_id, now }: Invited,
): Promise<InvitationAccepted> {
  const { organization_id, role: offered } = invitation;
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
  await recordAudit(tx, caller, acceptedEvent(invitation, { user_id, role, new_user: false, now }));
  return { status: 'accepted', organization_id, role };
}

type NewAccount = Omit<NewUser, 'organization_id' | 'role' | 'now'>;

interface InvitedAccount {
  /** Claimed in this transaction. */
  readonly invitation: OpenInvitation;
  readonly user: NewAccount;
  readonly now: Date;
}

/** Creates the account, with a verified email. The caller writes `acceptedEvent`. */
export async function createByInvitation(tx: Tx, { invitation, user, now }: InvitedAccount): Promise<void> {
  const { organization_id, role } = invitation;
  await insertInvitedUser(tx, { ...user, organization_id, role, now });
  await assignOffered(tx, invitation, user.id);
}

/** The audit event of an accepted invitation. */
export const acceptedEvent = (
  { id, organization_id }: Pick<OpenInvitation, 'id' | 'organization_id'>,
  accepted: { user_id: string; role: OrganizationRole; new_user: boolean; now: Date },
) =>
  ({
    action: 'invitation.accepted',
    now: accepted.now,
    resource_type: 'invitation',
    resource_id: id,
    organization_id,
    actor_id: accepted.user_id,
    metadata: { role: accepted.role, new_user: accepted.new_user },
  }) as const satisfies AuditEvent;

interface Existing {
  readonly organization_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly now: Date;
}

/**
 * Adds an existing user. Returns undefined if nothing was added: there is no rule, the user is a former member, even
 * with a new account, or has the maximum of memberships.
 */
export async function joinByRule(
  tx: Tx,
  rule: JoinRule | undefined,
  { email, ...key }: Existing,
): Promise<'member' | 'added' | undefined> {
  const { organization_id, user_id } = key;
  const membership = await findMembershipForUpdate(tx, key);
  if (membership?.revoked_at === null) return 'member';
  const isFull = (await countOtherMemberships(tx, key)) >= LIMITS.membershipsPerUser;
  const isFormer = membership !== undefined || (await wasMember(tx, { organization_id, email }));
  if (isFormer || isFull || !rule) return undefined;
  await upsertMembership(tx, { ...key, role: rule.role });
  await deleteMemberRoles(tx, key);
  await assignRoles(tx, rule, { organization_id, user_id });
  return 'added';
}

interface NewMember {
  readonly organization_id: string;
  readonly user: NewAccount;
  readonly now: Date;
}

/**
 * Creates the account, with a verified email: only for an address that the organization controls. Returns false if
 * there is no rule, or if a former member had the address.
 */
export async function createByRule(
  tx: Tx,
  rule: JoinRule | undefined,
  { organization_id, user, now }: NewMember,
): Promise<boolean> {
  if (!rule || (await wasMember(tx, { organization_id, email: user.email }))) return false;
  await insertInvitedUser(tx, { ...user, organization_id, role: rule.role, now });
  await assignRoles(tx, rule, { organization_id, user_id: user.id });
  return true;
}

async function assignRoles(
  tx: Tx,
  { role_ids }: JoinRule,
  member: { readonly organization_id: string; readonly user_id: string },
): Promise<void> {
  const roles = await findAssignableRoles(tx, member.organization_id, role_ids);
  await insertMemberRoles(
    tx,
    member,
    roles.map(({ id }) => id),
  );
}

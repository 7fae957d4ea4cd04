import type { AccountDeletion } from '@gatehouse/contract';
import { recordAudits } from '../../domain/audit/record.ts';
import { confirmPassword } from '../../domain/authorization/confirm-password.ts';
import { readAuth, requireFreshAuth } from '../../domain/authorization/fresh-auth.ts';
import { lockOwners } from '../../domain/authorization/owners.ts';
import { lockPlatformOwners } from '../../domain/authorization/platform-role.ts';
import type { Deps } from '../../domain/context.ts';
import { deleteAccount } from '../../domain/endings/delete-account.ts';
import { voidInvitationsTo } from '../../domain/endings/void-invitations.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { badCredentials, notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { endMachineTokens } from '../../domain/machines/end-keys.ts';
import { listOwnMemberships, type OwnMembership } from '../../domain/memberships/queries.ts';
import { lockOrganizations, suspendOrganizations } from '../../domain/organizations/queries.ts';
import { findCredentials } from '../../domain/passwords/queries.ts';
import { lockActiveUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';

/**
 * docs/reference/accounts.md#deletion-and-export: DELETE /users/me: password → 204. 409 for the last owner of an
 * organization with other members. An organization whose only member it was is suspended. Only active accounts count as
 * owners and members.
 */
export async function deleteOwnAccount(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { password }: AccountDeletion,
): Promise<void> {
  const checked_hash = await checkPassword(deps, caller, session, password);
  while (!(await tryDelete(deps, caller, session, checked_hash)));
}

/** Returns the verified hash, or null if there is no password: then fresh proof is enough. */
async function checkPassword(deps: Deps, caller: Caller, session: SessionState, given: string | undefined) {
  const user = await findCredentials(deps.db, session.user_id);
  if (!user) throw notSignedIn();
  if (user.password_hash === null) return null;
  const metadata = { sessions_revoked: 0, by: 'self' } as const;
  return confirmPassword(deps, caller, session, { field: 'password', given, action: 'user.deleted', metadata });
}

/** Returns false if the user joined another organization in the meantime, whose owners are not locked yet. */
function tryDelete(deps: Deps, caller: Caller, session: SessionState, checked_hash: string | null): Promise<boolean> {
  const now = deps.clock.now();
  const { user_id } = session;
  return transact(deps.db, async (tx) => {
    // Lock order: advisory locks, the user, organizations. While the user is locked, no request can add a membership of
    // this user.
    await lockPlatformOwners(tx);
    const locked = new Set((await listOwnMemberships(tx, user_id)).map(({ organization_id }) => organization_id));
    for (const organization_id of [...locked].sort()) await lockOwners(tx, organization_id);
    const user = await lockActiveUser(tx, user_id);
    if (!user) throw notSignedIn();
    // Requests that add a member lock the organization in share mode: they commit first and are seen, or are rejected.
    const alone = (await listOwnMemberships(tx, user_id)).filter(({ has_other_member }) => !has_other_member);
    await lockOrganizations(
      tx,
      alone.map(({ organization_id }) => organization_id),
    );
    const memberships = await listOwnMemberships(tx, user_id);
    if (memberships.some(({ organization_id }) => !locked.has(organization_id))) return false;

    const current = await readAuth(tx, session, now);
    requireFreshAuth(deps, current.session, current.owner);
    if (user.password_hash !== checked_hash) throw badCredentials();
    requireOtherOwners(memberships);
    await deleteAccount(tx, deps, caller, { user, bySelf: true, now });
    await closeEmptied(tx, deps, caller, memberships, now);
    return true;
  });
}

function requireOtherOwners(memberships: readonly OwnMembership[]): void {
  const last = memberships.find(
    ({ role, has_other_owner, has_other_member }) => role === 'owner' && !has_other_owner && has_other_member,
  );
  if (last) {
    throw new ServiceError(
      'conflict',
      `you are the last owner of ${last.organization_name}, which has other members; make one of them an owner first`,
    );
  }
}

/** Suspends organizations that have no active member left, and revokes their pending invitations. */
async function closeEmptied(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  memberships: readonly OwnMembership[],
  now: Date,
): Promise<void> {
  const emptied = memberships.filter(({ has_other_member }) => !has_other_member);
  const organization_ids = emptied.map(({ organization_id }) => organization_id);
  const suspended = await suspendOrganizations(tx, organization_ids, now);
  await recordAudits(
    tx,
    caller,
    suspended.map(({ id }) => ({
      action: 'org.suspended',
      now,
      resource_type: 'organization',
      resource_id: id,
      organization_id: id,
      metadata: { sessions_revoked: 0 },
    })),
  );
  await endMachineTokens(tx, organization_ids, now);
  const revoked = await voidInvitationsTo(tx, organization_ids, now);
  await recordAudits(
    tx,
    caller,
    revoked.map(({ id, organization_id }) => ({
      action: 'invitation.revoked',
      now,
      resource_type: 'invitation',
      resource_id: id,
      organization_id,
      metadata: {},
    })),
  );
  await deps.bus.announce(
    tx,
    now,
    suspended.map(({ id }) => ({ topic: 'organization', key: id })),
  );
}

import type { Tx } from '../../platform/db/connect.ts';
import type { MembershipKey } from '../kernel/membership-key.ts';
import {
  type OrganizationPermission,
  type OrganizationRole,
  ranksAtLeast,
  roleHasPermission,
} from '../kernel/permissions.ts';
import { actorOf, type MachinePrincipal, type Principal } from '../kernel/principal.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { effectivePermissions } from '../machines/machine.ts';
import { findActingMachine, lockAccountRoles } from '../machines/queries.ts';
import { findActiveMembership } from '../memberships/queries.ts';
import { lockHeldPermissions } from '../roles/queries.ts';
import { requireLiveSession } from './live-session.ts';

/** The user or machine that acts in an organization, with the details that mails and audit rows need. */
export interface ActingMember extends MembershipKey {
  readonly role: OrganizationRole;
  readonly organization_name: string;
  /** Empty for a machine. */
  readonly email: string;
  /** For a machine: of the user who created the service account. */
  readonly email_verified_at: Date | null;
  readonly locale: string | null;
  /** For a machine, whose `user_id` is the service account: its name, and all that it may do. */
  readonly machine?: { readonly name: string; readonly permissions: ReadonlySet<string> };
}

/**
 * docs/reference/sessions.md#revocation: checks the session and the permission in the transaction that writes, because
 * the cached session state may be seconds old. Locks the row of the caller's user in share mode.
 */
export async function requirePermission(
  tx: Tx,
  principal: Principal,
  permission: OrganizationPermission,
): Promise<ActingMember> {
  const { organization_id, actor_id: user_id } = actorOf(principal);
  const key = { organization_id, user_id };
  const missing = () => new ServiceError('forbidden', `your role does not have the permission ${permission}`);
  if (principal.kind === 'machine') {
    const machine = await findMachine(tx, principal);
    if (!machine?.permissions.has(permission)) throw missing();
    const { organization_name, email_verified_at, ...rest } = machine;
    // docs/reference/machines.md#what-a-machine-may-do: a machine ranks as `member`.
    return {
      ...key,
      role: 'member',
      organization_name,
      email: '',
      email_verified_at,
      locale: null,
      machine: rest,
    };
  }
  await requireLiveSession(tx, principal);
  const membership = await findActiveMembership(tx, key);
  // The other roles are read in a separate statement, which sees a change that the lock has waited for.
  if (
    !membership ||
    !(roleHasPermission(membership.role, permission) || (await lockHeldPermissions(tx, key)).has(permission))
  ) {
    throw missing();
  }
  return { ...membership, ...key };
}

async function findMachine(tx: Tx, { machine: { state, scope } }: MachinePrincipal) {
  const acting = await findActingMachine(tx, state.key_id);
  if (!acting) return undefined;
  const roles = await lockAccountRoles(tx, acting.id);
  const held = { roles: [], permissions: roles.flatMap(({ permissions }) => permissions) };
  const permissions = new Set(effectivePermissions({ held, scopes: acting.scopes, scope }));
  const { name, organization_name, email_verified_at } = acting;
  return { name, organization_name, email_verified_at, permissions };
}

/** Members cannot grant, invite, edit or remove above their own rank. */
export function requireRank({ role }: ActingMember, other: OrganizationRole): void {
  if (!ranksAtLeast(role, other)) throw new ServiceError('forbidden', `your role, ${role}, is below ${other}`);
}

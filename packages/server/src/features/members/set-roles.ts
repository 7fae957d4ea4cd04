import type { Member } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import {
  countRoleWrite,
  distinctIds,
  lockRoles,
  permissionsIn,
  requireAll,
  requireFound,
} from '../../domain/authorization/assign-roles.ts';
import { lockOwners } from '../../domain/authorization/owners.ts';
import { requireRank } from '../../domain/authorization/require-permission.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import { findMember, findMembershipForUpdate } from '../../domain/memberships/queries.ts';
import {
  deleteMemberRoles,
  findAssignableRoles,
  insertMemberRoles,
  listMemberRoles,
} from '../../domain/roles/queries.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { describeMember, noSuchMember } from './describe.ts';

interface Assignment {
  readonly user_id: string;
  readonly role_ids: readonly string[];
}

/**
 * PUT …/members/:user_id/roles: replaces the roles besides the base role. The caller needs all permissions of the old
 * and the new roles. Writes nothing if the roles are unchanged.
 */
export async function setRoles(
  deps: Deps,
  caller: Caller,
  principal: Principal,
  { user_id, role_ids }: Assignment,
): Promise<Member> {
  const now = deps.clock.now();
  const { organization_id } = actorOf(principal);
  const membershipKey = { organization_id, user_id };
  const wanted = distinctIds(role_ids);

  const locks = async (tx: Tx) => {
    // Serializes this with changes of base roles and removals: two members who change each other would deadlock.
    await lockOwners(tx, organization_id);
    await lockRoles(tx, organization_id);
  };
  await transactAs({ deps, caller }, { locks }, async (tx, { member: actor }) => {
    const roles = await findAssignableRoles(tx, organization_id, wanted);
    requireFound(roles, wanted);
    const membership = await findMembershipForUpdate(tx, membershipKey);
    if (!membership || membership.revoked_at !== null || membership.status === 'deleted') throw noSuchMember();
    requireRank(actor, membership.role);
    const current = await listMemberRoles(tx, membershipKey);
    await requireAll(tx, actor, permissionsIn([...current, ...roles]));

    const before = new Set(current.map(({ id }) => id));
    const added = wanted.filter((id) => !before.has(id));
    const removed = [...before].filter((id) => !wanted.includes(id));
    if (added.length === 0 && removed.length === 0) return;
    await deleteMemberRoles(tx, membershipKey, removed);
    await insertMemberRoles(tx, membershipKey, added);
    await recordAudit(tx, caller, {
      action: 'member.roles_changed',
      now,
      resource_type: 'member',
      resource_id: user_id,
      metadata: { added, removed },
    });
    await markStale(tx, deps, membershipKey, now);
    await countRoleWrite(tx, deps, organization_id, now);
  });

  const row = await findMember(deps.db, membershipKey);
  // The member was removed in the meantime.
  if (!row) throw noSuchMember();
  return describeMember(deps.config, row);
}

import type { OrganizationRole } from '../../domain/access/roles.ts';
import type { MembershipKey } from '../../domain/memberships/key.ts';
import { countOtherOwners } from '../../domain/memberships/queries.ts';
import { ServiceError } from '../../domain/service-error.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { lock } from '../../platform/db/lock.ts';

/** Taken by every request that may remove an owner, so that concurrent ones cannot remove the last two. */
export const lockOwners = (tx: Tx, organization_id: string): Promise<void> => lock(tx, `owners of ${organization_id}`);

/** The contract, section 3: 409 for the last owner who can sign in. Requires `lockOwners`. */
export async function requireAnotherOwner(
  tx: Tx,
  membershipKey: MembershipKey,
  { role, status }: { role: OrganizationRole; status: string },
): Promise<void> {
  if (role === 'owner' && status === 'active' && (await countOtherOwners(tx, membershipKey)) === 0) {
    throw new ServiceError('conflict', 'this is the last owner; add another one first');
  }
}

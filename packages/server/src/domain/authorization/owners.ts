import type { Tx } from '../../platform/db/connect.ts';
import { lock } from '../../platform/db/lock.ts';
import type { MembershipKey } from '../kernel/membership-key.ts';
import type { OrganizationRole } from '../kernel/permissions.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { countOtherOwners } from '../memberships/queries.ts';

/**
 * Every request that may remove an owner takes this lock, so that concurrent requests cannot remove the last two
 * owners. To lock several organizations, proceed in the order of their ids (avoids deadlocks).
 */
export const lockOwners = (tx: Tx, organization_id: string): Promise<void> => lock(tx, `owners of ${organization_id}`);

/** docs/reference/organizations.md#base-roles: 409 for the last owner who can sign in. Requires `lockOwners`. */
export async function requireAnotherOwner(
  tx: Tx,
  membershipKey: MembershipKey,
  { role, status }: { role: OrganizationRole; status: string },
): Promise<void> {
  if (role === 'owner' && status === 'active' && (await countOtherOwners(tx, membershipKey)) === 0) {
    throw new ServiceError('conflict', 'this is the last owner; add another one first');
  }
}

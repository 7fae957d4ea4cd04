import type { Tx } from '../../platform/db/connect.ts';
import { lock } from '../../platform/db/lock.ts';
import type { OrganizationRole } from '../access/roles.ts';
import { ServiceError } from '../service-error.ts';
import type { MembershipKey } from './key.ts';
import { countOtherOwners } from './queries.ts';

/**
 * Taken by every request that may remove an owner, so that concurrent ones cannot remove the last two. Take several in
 * the order of the ids (avoids deadlocks).
 */
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

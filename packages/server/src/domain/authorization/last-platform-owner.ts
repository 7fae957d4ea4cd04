import type { Tx } from '../../platform/db/connect.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { isLastMembershipOfPlatformOwners, type MembershipFilter } from '../memberships/queries.ts';

/**
 * docs/reference/accounts.md#platform-roles: throws if no platform owner could sign in afterwards. Requires
 * `lockPlatformOwners`.
 */
export async function requireAnotherPlatformOwner(tx: Tx, filter: MembershipFilter): Promise<void> {
  if (await isLastMembershipOfPlatformOwners(tx, filter)) {
    throw new ServiceError(
      'conflict',
      'no platform owner could sign in afterwards; add one to another organization first',
    );
  }
}

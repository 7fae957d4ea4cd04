import type { Tx } from '../../platform/db/connect.ts';
import { ServiceError } from '../service-error.ts';
import { areLastSeatsOfOwners, type Seats } from './queries.ts';

/** The contract, section 3: some platform owner can sign in when these seats are gone. Behind `lockPlatformOwners`. */
export async function requireSeatOfOwners(tx: Tx, seats: Seats): Promise<void> {
  if (await areLastSeatsOfOwners(tx, seats)) {
    throw new ServiceError(
      'conflict',
      'no platform owner could sign in afterwards; add one to another organization first',
    );
  }
}

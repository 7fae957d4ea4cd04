import { LIMITS } from '@gatehouse/contract';
import type { OrganizationRole } from '../../domain/access/roles.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { countOtherSeats, type NewSeat, upsertMembership } from './queries.ts';
import { conflict } from './refusals.ts';

/**
 * Joins, while there is room: all that somebody belongs to is listed whole. Their row must be held, so that two do not both
 * find the last place.
 */
export async function becomeMember(tx: Tx, seat: NewSeat): Promise<OrganizationRole> {
  if ((await countOtherSeats(tx, seat)) >= LIMITS.membershipsPerUser) {
    throw conflict(`you belong to ${LIMITS.membershipsPerUser} organizations, which is the most; leave one first`);
  }
  return upsertMembership(tx, seat);
}

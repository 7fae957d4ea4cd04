import type { Tx } from '../../platform/db/connect.ts';

export interface Seat {
  readonly organization_id: string;
  readonly user_id: string;
}

/**
 * What somebody is in an organization at this moment. Held until the transaction ends: who removes or demotes them, or
 * suspends the organization, comes before this or after it. Undefined: no member, not active, or it is suspended.
 */
export const findStanding = (tx: Tx, { organization_id, user_id }: Seat) =>
  tx
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role', 'o.name as organization_name', 'u.email', 'u.locale'])
    .where('m.organization_id', '=', organization_id)
    .where('m.user_id', '=', user_id)
    .where('m.revoked_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .where('u.status', '=', 'active')
    .forShare(['m', 'o'])
    .executeTakeFirst();

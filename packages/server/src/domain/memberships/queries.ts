import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';

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
    .select(['m.role', 'o.name as organization_name', 'u.email', 'u.email_verified_at', 'u.locale'])
    .where('m.organization_id', '=', organization_id)
    .where('m.user_id', '=', user_id)
    .where('m.revoked_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .where('u.status', '=', 'active')
    .forShare(['m', 'o'])
    .executeTakeFirst();

/** All seats of an organization, all of a user, or the one that both names have. */
export type Seats = Partial<Seat>;

/** Somebody who owns the platform can sign in. */
export async function hasSeatedOwner(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('users as u')
    .innerJoin('memberships as m', 'm.user_id', 'u.id')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select('u.id')
    .where('u.platform_role', '=', 'owner')
    .where('u.status', '=', 'active')
    .where('m.revoked_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether some platform owner can sign in by these seats, and none of them by any other. */
export async function areLastSeatsOfOwners(tx: Tx, { organization_id, user_id }: Seats): Promise<boolean> {
  const named = sql`(m.organization_id = coalesce(${organization_id ?? null}::uuid, m.organization_id)
    and m.user_id = coalesce(${user_id ?? null}::uuid, m.user_id))`;
  const { rows } = await sql<{ among: boolean; beside: boolean }>`
    select coalesce(bool_or(${named}), false) as among, coalesce(bool_or(not ${named}), false) as beside
    from users u
    join memberships m on m.user_id = u.id and m.revoked_at is null
    join organizations o on o.id = m.organization_id and o.suspended_at is null
    where u.platform_role = 'owner' and u.status = 'active'`.execute(tx);
  const { among, beside } = rows[0]!;
  return among && !beside;
}

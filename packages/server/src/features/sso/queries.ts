import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';

/** The active connection of a verified domain. `domain` must be in canonical form. */
export const findConnectionFor = (db: Db, domain: string) =>
  db
    .selectFrom('domains as d')
    .innerJoin('sso_connections as c', 'c.id', 'd.connection_id')
    .innerJoin('organizations as o', 'o.id', 'c.organization_id')
    .select(['c.id', 'c.name', 'o.policy'])
    .where('d.domain', '=', domain)
    .where('d.verified_at', 'is not', null)
    .where('c.active', '=', true)
    .where('c.deleted_at', 'is', null)
    .where('o.suspended_at', 'is', null)
    .executeTakeFirst();

/** Returns the policy of the organization; undefined if it is suspended. Locks the row in share mode. */
export const shareOrganization = (tx: Tx, organization_id: string) =>
  tx
    .selectFrom('organizations')
    .select(['id', 'policy'])
    .where('id', '=', organization_id)
    .where('suspended_at', 'is', null)
    .forShare()
    .executeTakeFirst();

/** The pending invitation to this address. */
export const findInvitationTo = (
  db: Db,
  { organization_id, email, now }: { organization_id: string; email: string; now: Date },
) =>
  db
    .selectFrom('invitations')
    .select('token_hash')
    .where('organization_id', '=', organization_id)
    .where('email', '=', email)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** Whether a deleted account with this address was a member. Its row in `users` keeps the address. */
export async function wasMember(
  tx: Tx,
  { organization_id, email }: { organization_id: string; email: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.id')
    .where('m.organization_id', '=', organization_id)
    .where('m.revoked_at', 'is not', null)
    .where('u.status', '=', sql.lit('deleted'))
    .where('u.email', '=', email)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

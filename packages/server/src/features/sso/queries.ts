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

/**
 * Whether a former member had this address when the membership ended, even if the account was deleted or has another
 * address now. If `revoked_email` is null, the address of the account is compared.
 */
export async function wasMember(
  tx: Tx,
  { organization_id, email }: { organization_id: string; email: string },
): Promise<boolean> {
  const { rows } = await sql<{ was_member: boolean }>`
    select exists (
      select from memberships where organization_id = ${organization_id}::uuid and revoked_email = ${email}::text
        and revoked_at is not null
    ) or exists (
      select from users u join memberships m on m.user_id = u.id
      where u.email = ${email}::text and m.organization_id = ${organization_id}::uuid
        and m.revoked_at is not null and m.revoked_email is null
    ) as was_member`.execute(tx);
  return rows[0]!.was_member;
}

import type { Db } from '../../platform/db/connect.ts';

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

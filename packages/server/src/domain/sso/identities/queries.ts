import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { domainOfEmail } from '../../kernel/email-domain.ts';
import type { MembershipKey } from '../../kernel/membership-key.ts';

export interface LinkedUser {
  readonly connection_id: string;
  readonly user_id: string;
  readonly organization_id: string;
  /** The current email of the user. */
  readonly email: string;
  /** Whether the provider has verified the second factor: `trust_idp_mfa` must still be on. */
  readonly mfa_at_provider: boolean;
}

/**
 * Part of the statement of a sign-in: a row while the connection of the organization is active, the user is linked to
 * it, and the email lies in one of its verified domains. Locks these rows in share mode: a concurrent deactivation,
 * removal or lapse either commits first and is seen here, or runs later and ends the session. `after` is the CTE that
 * takes the earlier locks (see `kernel/lock-order.ts`); without a row in it, there is none here.
 */
export const usableConnection = (
  { connection_id, user_id, organization_id, email, mfa_at_provider }: LinkedUser,
  after: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  select c.id from sso_connections c
    join domains d on d.connection_id = c.id and d.verified_at is not null and d.domain = ${domainOfEmail(email) ?? null}::text
    join sso_identities i on i.connection_id = c.id and i.user_id = ${user_id}::uuid
  where c.id = ${connection_id}::uuid and c.organization_id = ${organization_id}::uuid and c.active
    and c.deleted_at is null and (c.trust_idp_mfa or not ${mfa_at_provider}::bool) and exists (select from ${after})
  for share of c, d, i`;

interface Subject {
  readonly connection_id: string;
  readonly subject: string;
}

export const findSsoIdentity = (db: Db, { connection_id, subject }: Subject) =>
  db
    .selectFrom('sso_identities')
    .select(['id', 'user_id'])
    .where('connection_id', '=', connection_id)
    .where('subject', '=', subject)
    .executeTakeFirst();

export const findSsoIdentityOf = (
  db: Db,
  { connection_id, user_id }: { readonly connection_id: string; readonly user_id: string },
) =>
  db
    .selectFrom('sso_identities')
    .select(['id', 'subject'])
    .where('connection_id', '=', connection_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();

interface NewSsoIdentity extends Subject {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly linked_at: Date;
}

/** A concurrent link of the same subject or account violates a unique constraint; see `isLinkedConcurrently`. */
export const insertSsoIdentity = (tx: Tx, identity: NewSsoIdentity) =>
  tx.insertInto('sso_identities').values(identity).execute();

/** Part of the sign-in statement: updates the last use of the identity if `source` has a row. */
export const useSsoIdentity = (
  { id, email, now }: { readonly id: string; readonly email: string | null; readonly now: Date },
  source: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  update sso_identities set last_used_at = ${now}::timestamptz, email = coalesce(${email}::text, email)
  where id = ${id}::uuid and exists (select from ${source})`;

export const deleteSsoIdentitiesOf = (tx: Tx, { organization_id, user_id }: MembershipKey) =>
  tx
    .deleteFrom('sso_identities')
    .where('user_id', '=', user_id)
    .where('connection_id', 'in', (eb) =>
      eb.selectFrom('sso_connections').select('id').where('organization_id', '=', organization_id),
    )
    .returning(['id', 'connection_id'])
    .execute();

export const deleteSsoIdentities = (tx: Tx, user_id: string) =>
  tx.deleteFrom('sso_identities').where('user_id', '=', user_id).execute();

export const listSsoIdentities = (db: Db, user_id: string) =>
  db
    .selectFrom('sso_identities as i')
    .innerJoin('sso_connections as c', 'c.id', 'i.connection_id')
    .select(['i.id', 'i.connection_id', 'c.name as connection_name', 'c.organization_id', 'i.subject', 'i.email'])
    .select(['i.linked_at', 'i.last_used_at'])
    .where('i.user_id', '=', user_id)
    .orderBy('i.linked_at')
    .orderBy('i.id')
    .execute();

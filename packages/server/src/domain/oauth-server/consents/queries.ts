import { LIMITS, type Policy } from '@gatehouse/contract';
import { sql } from 'kysely';
import { after } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { deleteSome } from '../../../platform/db/delete-some.ts';
import { isUnset } from '../../../platform/db/is-unset.ts';
import type { OrganizationRole } from '../../kernel/permissions.ts';
import { inTrustedBrowser, policyDomains } from '../../policy/queries.ts';

interface ConsentKey {
  readonly user_id: string;
  readonly application_id: string;
}

interface Authorization {
  /** Whether the user is a member of the organization; false also if it is suspended. */
  readonly is_member: boolean;
  /** The scopes that the user has allowed; null without a consent. */
  readonly consented: readonly string[] | null;
  /** The number of organizations that the user can choose from. */
  readonly memberships: number;
  readonly policy: Policy | null;
  /** The verified domains of the organization; empty if it has no policy. */
  readonly domains: readonly string[];
  readonly role: OrganizationRole | null;
  readonly mfa_enabled: boolean;
  /** Whether a trusted browser has replaced the second factor of the session. */
  readonly trusted_browser: boolean;
}

interface AuthorizationKey extends ConsentKey {
  readonly organization_id: string;
  readonly session_id: string;
  readonly now: Date;
}

/** What an authorization depends on besides the session: membership, consent and policy. */
export async function findAuthorization(
  db: Db,
  { user_id, application_id, organization_id, session_id, now }: AuthorizationKey,
): Promise<Authorization> {
  const { rows } = await sql<Authorization>`
    select
      exists (select from memberships m join organizations o on o.id = m.organization_id
        where m.user_id = u.id and m.organization_id = ${organization_id}::uuid and ${isUnset('m.revoked_at')}
          and o.suspended_at is null) as is_member,
      (select c.scopes from application_consents c where c.user_id = u.id
        and c.application_id = ${application_id}::uuid and ${isUnset('c.revoked_at')}) as consented,
      (select count(*) from memberships m join organizations o on o.id = m.organization_id
        where m.user_id = u.id and m.revoked_at is null and o.suspended_at is null) as memberships,
      (select o.policy from organizations o where o.id = ${organization_id}::uuid) as policy,
      (select ${policyDomains} from organizations o where o.id = ${organization_id}::uuid) as domains,
      (select m.role from memberships m where m.user_id = u.id and m.organization_id = ${organization_id}::uuid
        and ${isUnset('m.revoked_at')}) as role,
      u.mfa_enabled_at is not null as mfa_enabled,
      (u.mfa_enabled_at is not null and exists (select from sessions s where s.id = ${session_id}::uuid
        and ${inTrustedBrowser(now)})) as trusted_browser
    from users u where u.id = ${user_id}::uuid`.execute(db);
  return rows[0] ?? NOT_AUTHORIZED;
}

const NOT_AUTHORIZED: Authorization = {
  is_member: false,
  consented: null,
  memberships: 0,
  policy: null,
  domains: [],
  role: null,
  mfa_enabled: false,
  trusted_browser: false,
};

/** Adds scopes to those that the user has allowed. If the consent was withdrawn, its earlier scopes are dropped. */
export const upsertConsent = (
  tx: Tx,
  { user_id, application_id, scopes, now }: ConsentKey & { scopes: readonly string[]; now: Date },
) =>
  sql`insert into application_consents as c (user_id, application_id, scopes, issued_scopes, granted_at)
    values (${user_id}::uuid, ${application_id}::uuid, ${scopes}::text[], '{}', ${now}::timestamptz)
    on conflict (user_id, application_id) do update set
      scopes = case when c.revoked_at is null
        then array(select distinct unnest(c.scopes || excluded.scopes) order by 1) else excluded.scopes end,
      issued_scopes = case when c.revoked_at is null then c.issued_scopes else '{}' end,
      granted_at = excluded.granted_at, revoked_at = null`.execute(tx);

/** Returns undefined if the user never allowed this application; otherwise whether the consent was active until now. */
export async function revokeConsent(
  tx: Tx,
  { user_id, application_id, now }: ConsentKey & { now: Date },
): Promise<{ was_active: boolean } | undefined> {
  const { rows } = await sql<{ was_active: boolean }>`
    with old as materialized (
      select revoked_at from application_consents
      where user_id = ${user_id}::uuid and application_id = ${application_id}::uuid for update
    )
    update application_consents c set revoked_at = coalesce(c.revoked_at, ${now}::timestamptz) from old
    where c.user_id = ${user_id}::uuid and c.application_id = ${application_id}::uuid
    returning old.revoked_at is null as was_active`.execute(tx);
  return rows[0];
}

interface ConnectedRow {
  readonly id: string;
  readonly client_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly granted_at: Date;
  readonly last_used_at: Date | null;
}

/** The applications with an active consent of the user, sorted by name. */
export async function listConnected(db: Db, user_id: string): Promise<ConnectedRow[]> {
  const { rows } = await sql<ConnectedRow>`
    select a.id, a.client_id, a.name, c.granted_at,
      array(select distinct unnest(c.scopes || c.issued_scopes) order by 1) as scopes,
      (select max(g.last_used_at) from application_grants g
        where g.user_id = c.user_id and g.application_id = c.application_id) as last_used_at
    from application_consents c join applications a on a.id = c.application_id
    where c.user_id = ${user_id}::uuid and c.revoked_at is null and a.deleted_at is null
    order by a.name, a.id`.execute(db);
  return rows;
}

/** Revokes all consents of an account that is deleted or reclaimed. The caller ends the grants separately. */
export const revokeConsents = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('application_consents')
    .set({ revoked_at: now })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

interface ConsentRecord extends ConnectedRow {
  readonly revoked_at: Date | null;
  readonly grants: readonly {
    readonly id: string;
    readonly organization_id: string;
    readonly scopes: readonly string[];
    /** A time in the JSON format of PostgreSQL, which is not that of `Date`. */
    readonly created_at: string;
    readonly last_used_at: string | null;
    readonly ended_at: string | null;
  }[];
}

/** What the user has allowed, also in the past, with the grants that are still stored, newest first. */
export async function listConsentRecords(db: Db, user_id: string): Promise<ConsentRecord[]> {
  const { rows } = await sql<ConsentRecord>`
    select a.id, a.client_id, a.name, c.granted_at, c.revoked_at,
      array(select distinct unnest(c.scopes || c.issued_scopes) order by 1) as scopes,
      max(g.last_used_at) as last_used_at,
      coalesce(json_agg(json_build_object('id', g.id, 'organization_id', g.organization_id, 'scopes', g.scopes,
        'created_at', g.created_at, 'last_used_at', g.last_used_at, 'ended_at', g.ended_at) order by g.id desc)
        filter (where g.id is not null), '[]') as grants
    from application_consents c join applications a on a.id = c.application_id
    left join application_grants g on g.user_id = c.user_id and g.application_id = c.application_id
    where c.user_id = ${user_id}::uuid
    group by a.id, c.user_id, c.application_id order by a.name, a.id`.execute(db);
  return rows;
}

export const deleteOldConsents = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'application_consents',
    where: sql`revoked_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`revoked_at`,
    limit,
  });

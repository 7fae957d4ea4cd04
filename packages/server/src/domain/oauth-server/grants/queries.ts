import { NIL_UUID, type Policy } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Operand } from '../../../platform/db/batch.ts';
import type { FirstFactor } from '../../../platform/db/column-types.ts';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { deleteSome } from '../../../platform/db/delete-some.ts';
import { isUnset } from '../../../platform/db/is-unset.ts';
import type { MemberPermissions } from '../../kernel/permissions.ts';
import type { SessionReach } from '../../kernel/session-state.ts';
import { firstFactor, firstIdAt, reach } from '../../kernel/statements.ts';
import { hasPolicy, inTrustedBrowser, policyDomains } from '../../policy/queries.ts';
import { heldRoles } from '../../roles/queries.ts';

/** A grant that may be used now, with what its tokens say about the user. */
export interface ApplicationGrant extends MemberPermissions {
  readonly id: string;
  readonly application_id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly session_id: string;
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly offline: boolean;
  readonly first_factor: FirstFactor | null;
  readonly aal: 'aal1' | 'aal2';
  readonly auth_time: Date;
  /** The reach of the first session. With `organization`, the grant ends with it, even with `offline_access`. */
  readonly reach: SessionReach;
  /** When the session of single sign-on expires, unless it is refreshed. Null for other grants. */
  readonly sso_session_ends: Date | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly display_name: string | null;
  readonly locale: string | null;
  readonly avatar_id: string | null;
  readonly updated_at: Date;
  readonly organization_name: string;
  readonly organization_slug: string;
  readonly policy: Policy | null;
  /** The verified domains of the organization; empty if it has no policy. */
  readonly domains: readonly string[];
}

export const COLUMNS = sql`g.id, g.application_id, g.user_id, g.organization_id, g.session_id, g.scopes, g.resource, g.offline,
  g.first_factor, g.aal, g.auth_time, ${reach('g')} as reach, g.created_at, g.expires_at, u.email, u.email_verified_at, u.display_name,
  u.locale, u.avatar_id, u.updated_at, o.name as organization_name, o.slug as organization_slug, o.policy,
  ${policyDomains} as domains, m.role,
  (select own.expires_at from sessions own where g.connection_id is not null and own.id = g.session_id) as sso_session_ends, ${heldRoles} as held`;

export const FROM = sql`users u, organizations o, memberships m, applications a`;

const hasLiveSession = (now: Operand<Date>): RawBuilder<unknown> => sql`exists (select from sessions s
  where s.id = g.session_id and ${isUnset('s.revoked_at')} and s.expires_at > ${now}::timestamptz)`;

/** User, membership, organization, application and grant are active; for single sign-on, also the session. */
export const isLive = (
  now: Operand<Date>,
): RawBuilder<unknown> => sql`${isUnset('g.ended_at')} and g.expires_at > ${now}::timestamptz
  and u.id = g.user_id and u.status = 'active' and o.id = g.organization_id and o.suspended_at is null
  and m.organization_id = g.organization_id and m.user_id = g.user_id and ${isUnset('m.revoked_at')}
  and a.id = g.application_id and a.enabled and ${isUnset('a.deleted_at')}
  and (g.connection_id is null or ${hasLiveSession(now)})`;

export const later = (now: Operand<Date>, seconds: Operand<number>) =>
  sql`${now}::timestamptz + ${seconds}::int * interval '1 second'`;

interface NewGrant {
  readonly id: string;
  readonly application_id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly session_id: string;
  /** The policy that was checked; the organization must still have it. */
  readonly policy: Policy | null;
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly offline: boolean;
  readonly nonce: string | null;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly code_hash: Buffer;
  readonly code_expires_at: Date;
  readonly expires_at: Date;
  readonly now: Date;
}

/**
 * Creates a grant with its code, or returns false. Checks again, under shared locks, everything that the decision was
 * based on. A concurrent sign-out, removal, suspension or revocation either commits first and is seen here, or runs
 * later and ends the grant.
 */
export async function insertGrant(tx: Tx, g: NewGrant): Promise<boolean> {
  const { rows } = await sql`
    with locked_user as materialized (
      select id from users where id = ${g.user_id}::uuid for share
    ), consent as materialized (
      select from application_consents c
      where c.user_id = (select id from locked_user) and c.application_id = ${g.application_id}::uuid
        and ${isUnset('c.revoked_at')} and c.scopes @> ${g.scopes}::text[]
      for share
    ), authorized as (
      select ${firstFactor} as first_factor, s.aal, s.auth_time, s.connection_id
      from users u, sessions s, memberships m, organizations o, applications a
      where u.id = ${g.user_id}::uuid and u.status = 'active'
        and s.id = ${g.session_id}::uuid and s.user_id = u.id and ${isUnset('s.revoked_at')}
        and s.expires_at > ${g.now}::timestamptz
        and m.user_id = u.id and m.organization_id = ${g.organization_id}::uuid and ${isUnset('m.revoked_at')}
        and o.id = m.organization_id and o.suspended_at is null and ${hasPolicy(g.policy)} and not s.restricted
        and (s.connection_id is null or s.organization_id = o.id)
        and a.id = ${g.application_id}::uuid and a.enabled and ${isUnset('a.deleted_at')}
        and (a.organization_id is null or a.organization_id = o.id)
        and (a.trusted or exists (select from consent))
        and (not ${g.offline}::bool or 'offline_access' = any (a.scopes))
      for share of u, o, s, m, a
    )
    insert into application_grants (id, application_id, user_id, organization_id, session_id, scopes, resource, offline,
      first_factor, aal, auth_time, connection_id, nonce, redirect_uri, code_challenge, code_hash, code_expires_at, created_at, expires_at)
    select ${g.id}::uuid, ${g.application_id}::uuid, ${g.user_id}::uuid, ${g.organization_id}::uuid, ${g.session_id}::uuid,
      ${g.scopes}::text[], ${g.resource}::text, ${g.offline}::bool, first_factor, aal, auth_time, connection_id, ${g.nonce}::text,
      ${g.redirect_uri}::text, ${g.code_challenge}::text, ${g.code_hash}::bytea, ${g.code_expires_at}::timestamptz,
      ${g.now}::timestamptz, ${g.expires_at}::timestamptz
    from authorized returning id`.execute(tx);
  return rows.length > 0;
}

/** Finds the grant of a code, even if the code was used or the grant has ended. */
export const findCode = (tx: Tx, { application_id, code_hash }: { application_id: string; code_hash: Buffer }) =>
  tx
    .selectFrom('application_grants')
    .select(['id', 'organization_id', 'resource', 'code_used_at'])
    .where('code_hash', '=', code_hash)
    .where('application_id', '=', application_id)
    .executeTakeFirst();

/** For audit rows; also finds a grant that has ended. */
export const findGrantOwner = (tx: Tx, id: string) =>
  tx
    .selectFrom('application_grants')
    .select(['user_id', 'organization_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

/** For a repeated refresh request: returns the grant while the successor `jti` of the used refresh token is unused. */
export async function extendGrant(
  db: Db,
  { id, jti, now, access }: { id: string; jti: string; now: Date; access: number },
): Promise<ApplicationGrant | undefined> {
  const { rows } = await sql<ApplicationGrant>`
    update application_grants g set access_expires_at = greatest(g.access_expires_at, ${later(now, access)})
    from ${FROM} where g.id = ${id}::uuid and g.refresh_jti = ${jti}::uuid and ${isLive(now)}
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export interface RefreshedGrant extends ApplicationGrant {
  readonly refresh_jti: string;
  /** When the refresh token was used, if that was recently. */
  readonly used_at: Date | null;
  /** Whether the application still lists the resource of the grant. */
  readonly resource_allowed: boolean;
}

/** The live grant of a refresh token that may have been used. */
export async function findRefreshed(
  db: Db,
  { id, application_id, jti, now }: { id: string; application_id: string; jti: string; now: Date },
): Promise<RefreshedGrant | undefined> {
  const { rows } = await sql<RefreshedGrant>`
    select ${COLUMNS}, g.refresh_jti, (select used_at from refresh_uses where jti = ${jti}::uuid) as used_at,
      g.resource is null or g.resource = any (a.resources) as resource_allowed
    from application_grants g, ${FROM}
    where g.id = ${id}::uuid and g.application_id = ${application_id}::uuid and g.refresh_jti is not null
      and ${isLive(now)}`.execute(db);
  return rows[0];
}

/** A grant whose tokens are valid now. Without `offline_access` its session must be active too. */
export async function findLiveGrant(db: Db, id: string, now: Date): Promise<ApplicationGrant | undefined> {
  const { rows } = await sql<ApplicationGrant>`
    select ${COLUMNS} from application_grants g, ${FROM}
    where g.id = ${id}::uuid and ${isLive(now)} and g.code_used_at is not null
      and (g.offline or ${hasLiveSession(now)})`.execute(db);
  return rows[0];
}

/** Set at least one field. */
export interface EndedGrants {
  readonly ids?: readonly string[];
  readonly id?: string;
  readonly user_id?: string;
  readonly organization_id?: string;
  readonly application_id?: string;
  readonly connection_id?: string;
  readonly except_organization?: string;
  /** Only those with `offline_access`. */
  readonly offline?: true;
  /** The grants that end with these sessions: those without `offline_access`, unused codes, and single sign-on. */
  readonly session_ids?: readonly string[];
}

const condition = (which: EndedGrants): RawBuilder<unknown> =>
  sql.join(
    [
      sql`ended_at is null`,
      ...(which.ids === undefined ? [] : [sql`id = any (${which.ids}::uuid[])`]),
      ...(which.id === undefined ? [] : [sql`id = ${which.id}::uuid`]),
      ...(which.user_id === undefined ? [] : [sql`user_id = ${which.user_id}::uuid`]),
      ...(which.organization_id === undefined ? [] : [sql`organization_id = ${which.organization_id}::uuid`]),
      ...(which.application_id === undefined ? [] : [sql`application_id = ${which.application_id}::uuid`]),
      ...(which.connection_id === undefined ? [] : [sql`connection_id = ${which.connection_id}::uuid`]),
      ...(which.except_organization === undefined ? [] : [sql`organization_id <> ${which.except_organization}::uuid`]),
      ...(which.offline === undefined ? [] : [sql`offline`]),
      ...(which.session_ids === undefined
        ? []
        : [
            sql`session_id = any (${which.session_ids}::uuid[])
              and (not offline or code_used_at is null or connection_id is not null)`,
          ]),
    ],
    sql` and `,
  );

/** Ends grants and returns their ids; use `endGrants`, which also announces them. */
export async function updateEndedGrants(tx: Db | Tx, which: EndedGrants, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ended as (
      update application_grants set ended_at = ${now}::timestamptz, refresh_jti = null
      where id = any (array(
        select id from application_grants where ${condition(which)} order by id for no key update
      ))
      returning id, access_expires_at
    ), published as (
      insert into revocations (sid, revoked_at, expires_at)
      select id, ${now}::timestamptz, access_expires_at from ended where access_expires_at > ${now}::timestamptz
      on conflict (sid) do nothing
    )
    select id from ended`.execute(tx);
  return rows.map(({ id }) => id);
}

interface BegunWithin {
  readonly now: Date;
  readonly began: { readonly since: Date; readonly before: Date };
  readonly limit: number;
}

/** Ends up to `limit` active grants. Returns how many. */
export async function endAnyGrants(tx: Tx, { now, began, limit }: BegunWithin): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from application_grants where ended_at is null
      and created_at >= ${began.since}::timestamptz and created_at < ${began.before}::timestamptz
    order by id limit ${limit}::int`.execute(tx);
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? 0 : (await updateEndedGrants(tx, { ids }, now)).length;
}

interface LoweredGrants {
  readonly user_id: string;
  readonly except_passkey_session?: string;
}

/** Lowers active grants to `aal1`, as `lowerSessions` does for the sessions that they began in. */
export const lowerGrants = (tx: Tx, { user_id, except_passkey_session = NIL_UUID }: LoweredGrants) =>
  sql`update application_grants set aal = 'aal1' where id = any (array(
    select id from application_grants where user_id = ${user_id}::uuid and ended_at is null and aal <> 'aal1'
      and (session_id = ${except_passkey_session}::uuid and first_factor = 'passkey') is not true
      and (connection_id is null
        or not exists (select from sessions s where s.id = session_id and s.aal = 'aal2'))
    order by id for no key update
  ))`.execute(tx);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const deleteEndedGrants = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'application_grants',
    where: sql`ended_at < ${new Date(now.getTime() - DAY)}`,
    oldest: sql`ended_at`,
    limit,
  });

/**
 * Selects unused codes of one hour by id, which begins with the time of creation: with an index of unused codes, each
 * use of a code would update all indexes of the table. Codes that are older because no sweep ran are deleted with the
 * expired grants.
 */
export const deleteUnusedCodes = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'application_grants',
    where: sql`code_used_at is null and id >= ${firstIdAt(new Date(now.getTime() - DAY - HOUR))}::uuid
      and id < ${firstIdAt(new Date(now.getTime() - DAY))}::uuid`,
    oldest: sql`id`,
    limit,
  });

/** Selects by id, which begins with the time of creation: no grant is valid for longer than `maxAgeSeconds`. */
export const deleteExpiredGrants = (db: Db, now: Date, limit: number, maxAgeSeconds: number): Promise<number> =>
  deleteSome(db, {
    table: 'application_grants',
    where: sql`id < ${firstIdAt(new Date(now.getTime() - DAY - maxAgeSeconds * 1000))}::uuid`,
    oldest: sql`id`,
    limit,
  });

/** Whether a trusted browser still replaces the second factor of the grant's session. A policy depends on this. */
export async function isInTrustedBrowser(db: Db, { session_id }: ApplicationGrant, now: Date): Promise<boolean> {
  const { rows } = await sql<{ trusted: boolean }>`
    select ${inTrustedBrowser(now)} as trusted from sessions s join users u on u.id = s.user_id
    where s.id = ${session_id}::uuid and u.mfa_enabled_at is not null`.execute(db);
  return rows[0]?.trusted ?? false;
}

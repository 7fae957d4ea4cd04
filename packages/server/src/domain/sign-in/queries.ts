import { LIMITS, type Policy } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { isUnset } from '../../platform/db/is-unset.ts';
import { type Counter, fullUntil } from '../../platform/limiter/queries.ts';
import { type AuditInsert, auditAlong } from '../audit/queries.ts';
import type { MemberPermissions, OrganizationRole, PlatformRole } from '../kernel/permissions.ts';
import type { Uses } from '../kernel/statements.ts';
import type { NewMfaToken } from '../mfa/mfa-token.ts';
import { hasPolicy, policyDomains } from '../policy/queries.ts';
import { heldRoles, permsAt } from '../roles/queries.ts';
import { type LinkedUser, usableConnection } from '../sso/identities/queries.ts';

/** A user who may be about to sign in, and the organization of the new session. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly display_name: string | null;
  readonly locale: string | null;
  readonly status: 'active' | 'disabled';
  readonly platform_role: PlatformRole | null;
  readonly password_hash: string | null;
  readonly mfa_enabled_at: Date | null;
  /** Null if the user is not a member of the requested organization, or all their organizations are suspended. */
  readonly organization_id: string | null;
  readonly role: OrganizationRole | null;
  readonly policy: Policy | null;
  /** The verified domains of that organization, if it has a policy. */
  readonly domains: readonly string[];
  /** The caller has named the organization: if its policy rejects the sign-in, no other one is tried. */
  readonly is_named: boolean;
  /** Whether the user trusts this browser. */
  readonly trusted: boolean;
}

interface Search {
  readonly email?: string;
  readonly user_id?: string;
  /** The requested organization; otherwise the last used one, then the oldest membership. */
  readonly organization_id?: string | undefined;
  readonly trust_hash?: Buffer | undefined;
  /** Instead of `trust_hash`: the trusted browser of the session that this one continues. */
  readonly trusted_browser_id?: string | null;
  readonly counters?: readonly Counter[];
  /** Counters of the failed attempts of the client address, over all accounts. */
  readonly address_counters?: readonly Counter[];
  readonly now: Date;
}

interface Found {
  readonly account: Account | undefined;
  /** Until when guesses are not checked; null if they are checked. */
  readonly full_until: Date | null;
  /** Until when requests of this client address are rejected. Null: they are not, or the browser is trusted. */
  readonly address_full_until: Date | null;
}

/** The order in which the organizations of a user are tried: the last used one, then the oldest membership. */
const preferred = sql`m.organization_id = u.last_organization_id desc nulls last, m.joined_at, m.organization_id`;

/** All organizations that the user could sign in to, in the order in which they are tried. */
export async function listOrganizationsToEnter(db: Db, user_id: string) {
  const { rows } = await sql<Pick<Account, 'organization_id' | 'role' | 'policy' | 'domains'>>`
    select m.organization_id, m.role, o.policy, ${policyDomains} as domains
    from users u join memberships m on m.user_id = u.id join organizations o on o.id = m.organization_id
    where u.id = ${user_id}::uuid and ${isUnset('m.revoked_at')} and o.suspended_at is null
    order by ${preferred}`.execute(db);
  return rows;
}

/** One query, with the same plan for an address without an account, so that its time does not reveal accounts. */
export async function findAccount(db: Db, search: Search): Promise<Found> {
  const { email = null, user_id = null, organization_id = null, trust_hash = null, now } = search;
  const { counters = [], address_counters = [], trusted_browser_id } = search;
  const browser = trusted_browser_id ? sql`id = ${trusted_browser_id}::uuid` : sql`token_hash = ${trust_hash}::bytea`;
  const { rows } = await sql<Omit<Account, 'id' | 'is_named'> & Omit<Found, 'account'> & { id: string | null }>`
    select ${whenFull(counters, now)} as full_until, ${whenFull(address_counters, now)} as address_full_until,
      u.id, u.email, u.email_verified_at, u.display_name, u.locale, u.status, u.platform_role, u.password_hash, u.mfa_enabled_at,
      active_membership.organization_id, active_membership.role, active_membership.policy, active_membership.domains,
      exists (select from trusted_browsers where ${browser} and user_id = u.id
        and revoked_at is null and expires_at > ${now}::timestamptz) as trusted
    from (select) as one
    left join users u on u.status <> 'deleted' and ${user_id === null ? sql`u.email = ${email}::text` : sql`u.id = ${user_id}::uuid`}
    left join lateral (
      select m.organization_id, m.role, o.policy, ${policyDomains} as domains
      from memberships m join organizations o on o.id = m.organization_id
      where m.user_id = u.id and ${isUnset('m.revoked_at')} and o.suspended_at is null
        and (${organization_id}::uuid is null or m.organization_id = ${organization_id}::uuid)
      order by ${preferred} limit 1
    ) as active_membership on true`.execute(db);
  const { id, full_until, address_full_until, ...row } = rows[0]!;
  const account =
    id === null ? undefined : { id, ...row, domains: row.domains ?? [], is_named: organization_id !== null };
  return { account, full_until, address_full_until: account?.trusted ? null : address_full_until };
}

const whenFull = (counters: readonly Counter[], now: Date): RawBuilder<Date | null> =>
  counters.length > 0 ? fullUntil(counters, now) : sql`null`;

interface NewSession {
  readonly id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly auth_method: string;
  readonly first_factor: string | null;
  readonly aal: 'aal1' | 'aal2';
  readonly auth_time: Date;
  readonly mfa_verified_at: Date | null;
  readonly now: Date;
  readonly expires_at: Date;
  readonly access_expires_at: Date;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly refresh_jti: string;
  readonly restricted: boolean;
  /** Copied from the session that this one continues. */
  readonly trusted_browser_id: string | null;
  readonly connection_id: string | null;
  /** The email of the user, which must be in a verified domain of the connection. */
  readonly email: string;
}

export interface Admission {
  readonly session: NewSession;
  /** The policy that the session was checked against. */
  readonly policy: Policy | null;
  /** Whether the policy admits only owners by this method. */
  readonly needs_owner: boolean;
  /** A statement that returns a row while the proof is valid, and consumes the proof if it can be used only once. */
  readonly claim: RawBuilder<unknown>;
  readonly uses: Uses;
  /** A second factor was given, or is not required. */
  readonly mfa_settled: boolean;
  /** The token hash of the trusted browser, if it replaces the second factor. */
  readonly trust_hash: Buffer | null;
  /** The hash that the password was checked against, and the stronger one that replaces it. */
  readonly checked_hash: string | null;
  readonly new_hash: string | null;
  readonly audit: readonly AuditInsert[];
  /** Written for each session that this one ends, with that session as resource and its organization. */
  readonly audit_ended: AuditInsert;
}

export interface Admitted extends MemberPermissions {
  /** When the roles were read; see `permsAt`. */
  readonly perms_at: number;
}

interface InsertedSignIn {
  readonly opened: boolean;
  /** What the membership allows, read by this statement. Null without an active membership. */
  readonly granted: Admitted | null;
  /** The oldest sessions beyond the limit; the same statement announces them to other replicas. */
  readonly ended: readonly string[];
}

/**
 * Creates the session in one statement, or does nothing. Checks again, under lock, everything that the decision was
 * based on: user and password by updating the user's row, the membership by a shared lock, the trusted browser by its
 * own update. A concurrent reset, disable, suspension or removal either commits first and is seen here, or runs later
 * and finds the session. Locks the user, then organization and membership, then the connection.
 */
export async function insertSignIn(db: Db, { session: s, ...admission }: Admission): Promise<InsertedSignIn> {
  const { rows } = await sql<InsertedSignIn>`
    with locked_user as materialized (select id from users where id = ${s.user_id}::uuid for no key update),
    claim as (${admission.claim}),
    active_membership as (
      select m.role, ${heldRoles} as held from memberships m join organizations o on o.id = m.organization_id
      where m.user_id = (select id from locked_user) and m.organization_id = ${s.organization_id}::uuid
        and ${isUnset('m.revoked_at')} and o.suspended_at is null and ${hasPolicy(admission.policy)}
        ${admission.needs_owner ? sql`and m.role = 'owner'` : sql``}
      for share of o, m
    ),
    ${connectionOf(s)}
    trust as (${trustOf(admission.trust_hash, s)}),
    updated_user as (
      update users u set last_login_at = ${s.now}::timestamptz, last_organization_id = ${s.organization_id}::uuid,
        password_hash = coalesce(${admission.new_hash}::text, u.password_hash)
      where u.id = ${s.user_id}::uuid and u.status = 'active'
        and (u.mfa_enabled_at is null or ${admission.mfa_settled}::bool or exists (select from trust))
        and (${admission.checked_hash}::text is null or u.password_hash = ${admission.checked_hash}::text)
        and exists (select from claim) and exists (select from active_membership) and ${isBoundTo(s)}
      returning u.id
    ),
    opened as (
      insert into sessions (id, user_id, organization_id, auth_method, first_factor, aal, auth_time, mfa_verified_at, created_at,
        last_used_at, expires_at, access_expires_at, ip_address, user_agent, refresh_jti, restricted, trusted_browser_id,
        connection_id)
      select ${s.id}::uuid, ${s.user_id}::uuid, ${s.organization_id}::uuid, ${s.auth_method}::text,
        ${s.first_factor}::text, ${s.aal}::text, ${s.auth_time}::timestamptz, ${s.mfa_verified_at}::timestamptz, ${s.now}::timestamptz, ${s.now}::timestamptz,
        ${s.expires_at}::timestamptz, ${s.access_expires_at}::timestamptz, ${s.ip_address}::text, ${s.user_agent}::text,
        ${s.refresh_jti}::uuid, ${s.restricted}::bool, coalesce(${s.trusted_browser_id}::uuid, (select id from trust)),
        ${s.connection_id}::uuid
      from updated_user returning id
    ),
    excess_sessions as (
      select id from sessions
      where user_id = ${s.user_id}::uuid and revoked_at is null and expires_at > ${s.now}::timestamptz and exists (select from opened)
      order by id desc offset ${LIMITS.sessionsPerUser - 1}::int limit 100
    ),
    ended as (
      update sessions set revoked_at = ${s.now}::timestamptz
      where id = any (array(select id from excess_sessions)) and ${isUnset('revoked_at')}
      returning id, organization_id, access_expires_at
    ),
    published as (
      insert into revocations (sid, revoked_at, expires_at)
      select id, ${s.now}::timestamptz, access_expires_at from ended where access_expires_at > ${s.now}::timestamptz
      on conflict (sid) do nothing
    ),
    announced as (
      insert into bus_events (topic, key, created_at) select 'session', id::text, ${s.now}::timestamptz from ended
    ),
    ${usedUp(admission.uses, sql`updated_user`)}
    audit_row as (${auditAlong(admission.audit, sql`updated_user`)} union all ${endedEvents(admission.audit_ended)})
    select exists (select from opened) as opened, array(select id::text from ended) as ended,
      (select json_build_object('role', role, 'held', held, 'perms_at', ${permsAt}) from active_membership) as granted`.execute(
    db,
  );
  return rows[0]!;
}

/** One row per ended session; their event ids differ from the given one in the last three digits. */
const endedEvents = (row: AuditInsert): RawBuilder<unknown> => sql`
  select overlay(${row.event_id}::text placing lpad(to_hex(row_number() over ()), 3, '0') from 34)::uuid,
    ${row.timestamp}::timestamptz, organization_id, ${row.actor_id}::uuid, ${row.actor_type}::text, ${row.action}::text,
    ${row.resource_type}::text, id::text, ${row.ip_address}::text, ${row.user_agent}::text, ${row.request_id}::uuid,
    ${row.metadata}::jsonb, ${row.outcome}::text, ${row.visibility}::text
  from ended`;

/** The CTE that checks the connection of single sign-on. Empty for other sign-ins, so that they do not read it. */
function connectionOf({ connection_id, aal, mfa_verified_at, ...session }: NewSession): RawBuilder<unknown> {
  if (connection_id === null) return sql``;
  const mfa_at_provider = aal === 'aal2' && mfa_verified_at === null;
  const linked = { ...session, connection_id, mfa_at_provider };
  return sql`usable_connection as (${usableConnection(linked, sql`active_membership`)}),`;
}

const isBoundTo = ({ connection_id, email }: NewSession): RawBuilder<unknown> =>
  connection_id === null ? sql`true` : sql`u.email = ${email}::text and exists (select from usable_connection)`;

const usedUp = (uses: Uses, source: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql.join(
    uses(source).map((use, index) => sql`${sql.raw(`used_${index}`)} as (${use}),`),
    sql` `,
  );

/** Locks the user's row before the browser's, as all code that revokes one does. */
const trustOf = (trust_hash: Buffer | null, { user_id, now }: NewSession): RawBuilder<unknown> =>
  trust_hash === null
    ? sql`select null::uuid as id where false`
    : sql`with locked_user as materialized (select id from users where id = ${user_id}::uuid for no key update)
      update trusted_browsers set last_used_at = ${now}::timestamptz
      where token_hash = ${trust_hash}::bytea and user_id = (select id from locked_user)
        and revoked_at is null and expires_at > ${now}::timestamptz
      returning id`;

interface PendingAdmission {
  readonly user_id: string;
  /** The connection that must still be usable; undefined: not single sign-on. */
  readonly linked: LinkedUser | undefined;
  readonly claim: RawBuilder<unknown>;
  readonly uses: Uses;
  readonly checked_hash: string | null;
  readonly new_hash: string | null;
  readonly audit: readonly AuditInsert[];
  readonly mfa_token: NewMfaToken | undefined;
}

/**
 * Consumes and audits the proof without creating a session: a second factor is still missing, or there is no
 * membership. Returns true if the proof was valid and the account has not changed since it was checked.
 */
export async function claimProof(db: Db, pending: PendingAdmission): Promise<boolean> {
  const { rows } = await sql<{ counted: boolean }>`
    with locked_user as materialized (
      select from users u where u.id = ${pending.user_id}::uuid and u.status = 'active'
        and (${pending.checked_hash}::text is null or u.password_hash = ${pending.checked_hash}::text)
      for no key update
    ),
    claim as (${pending.claim}),
    ${pending.linked ? sql`usable_connection as (${usableConnection(pending.linked, sql`locked_user`)}),` : sql``}
    counted as materialized (select from locked_user, claim ${pending.linked ? sql`, usable_connection` : sql``}),
    updated_hash as (
      update users set password_hash = ${pending.new_hash}::text
      where id = ${pending.user_id}::uuid and ${pending.new_hash}::text is not null and exists (select from counted)
    ),
    ${usedUp(pending.uses, sql`counted`)}
    mfa_token as (${pendingToken(pending)}),
    audit_row as (${auditAlong(pending.audit, sql`counted`)})
    select exists (select from counted) as counted`.execute(db);
  return rows[0]!.counted;
}

const pendingToken = ({ user_id, mfa_token: token }: PendingAdmission): RawBuilder<unknown> =>
  token === undefined
    ? sql`select where false`
    : sql`insert into mfa_tokens (jti, user_id, created_at, kept_until)
      select ${token.jti}::uuid, ${user_id}::uuid, ${token.created_at}::timestamptz, ${token.kept_until}::timestamptz
      from counted`;

/** True while none of these counters is full. */
export const whileGuessesAreLeft = (counters: readonly Counter[], now: Date): RawBuilder<unknown> =>
  sql`select 1 where ${fullUntil(counters, now)} is null`;

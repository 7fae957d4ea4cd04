import { LIMITS } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { isUnset } from '../../platform/db/is-unset.ts';
import { type Count, type Counter, countEach, fullUntil } from '../../platform/limiter/queries.ts';
import type { OrganizationRole, PlatformRole } from '../access/roles.ts';
import { type AuditInsert, auditAlong } from '../audit/queries.ts';
import { type Alarm, alarmsAlong } from '../limits/queries.ts';

/** A person who may be about to sign in, and the organization they would land in. */
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
  /** Null: not a member of the one asked for, or every organization is suspended. */
  readonly organization_id: string | null;
  readonly role: OrganizationRole | null;
  /** The browser was trusted by this person. */
  readonly trusted: boolean;
}

interface Search {
  readonly email?: string;
  readonly user_id?: string;
  /** The organization asked for; otherwise the one last used, then the oldest membership. */
  readonly organization_id?: string | undefined;
  readonly trust_hash?: Buffer | undefined;
  readonly counters?: readonly Counter[];
  /** Of the client address, over all accounts. */
  readonly address_counters?: readonly Counter[];
  readonly now: Date;
}

interface Found {
  readonly account: Account | undefined;
  /** Until when no more guesses are judged; null: they are. */
  readonly full_until: Date | null;
  /** Until when requests of this client address are refused; null: they are not, or the account trusts this browser. */
  readonly address_full_until: Date | null;
}

/** One trip, and the same plan for an address that has no account. */
export async function findAccount(db: Db, search: Search): Promise<Found> {
  const { email = null, user_id = null, organization_id = null, trust_hash = null, now } = search;
  const { counters = [], address_counters = [] } = search;
  const { rows } = await sql<Omit<Account, 'id'> & Omit<Found, 'account'> & { id: string | null }>`
    select ${whenFull(counters, now)} as full_until, ${whenFull(address_counters, now)} as address_full_until,
      u.id, u.email, u.email_verified_at, u.display_name, u.locale, u.status, u.platform_role, u.password_hash, u.mfa_enabled_at,
      seat.organization_id, seat.role,
      exists (select from trusted_browsers where token_hash = ${trust_hash}::bytea and user_id = u.id
        and revoked_at is null and expires_at > ${now}::timestamptz) as trusted
    from (select) as one
    left join users u on u.status <> 'deleted' and ${user_id === null ? sql`u.email = ${email}::text` : sql`u.id = ${user_id}::uuid`}
    left join lateral (
      select m.organization_id, m.role from memberships m join organizations o on o.id = m.organization_id
      where m.user_id = u.id and ${isUnset('m.revoked_at')} and o.suspended_at is null
        and (${organization_id}::uuid is null or m.organization_id = ${organization_id}::uuid)
      order by m.organization_id = u.last_organization_id desc nulls last, m.joined_at, m.organization_id limit 1
    ) as seat on true`.execute(db);
  const { id, full_until, address_full_until, ...row } = rows[0]!;
  const account = id === null ? undefined : { id, ...row };
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
}

/** Statements that use something up, each while `source`, another part of the same statement, has a row. */
export type Uses = (source: RawBuilder<unknown>) => readonly RawBuilder<unknown>[];

export interface Admission {
  readonly session: NewSession;
  /** A statement that yields a row while the proof still counts, and uses it up where it can be used once. */
  readonly claim: RawBuilder<unknown>;
  readonly uses: Uses;
  /** A second factor was given, or is not asked for. */
  readonly mfa_settled: boolean;
  /** Of the trusted browser that stands in for it. */
  readonly trust_hash: Buffer | null;
  /** The hash that the password was checked against, and the stronger one that takes its place. */
  readonly checked_hash: string | null;
  readonly new_hash: string | null;
  readonly audit: readonly AuditInsert[];
  /** Written for each session that this one ends, with that session as resource and its organization. */
  readonly audit_ended: AuditInsert;
}

interface Admitted {
  readonly opened: boolean;
  /** The oldest sessions of somebody who has too many; other replicas are told by the same statement. */
  readonly ended: readonly string[];
}

/**
 * One statement opens the session, or does nothing. All that the decision rested on is looked at once more under lock: user
 * and password by the update of the user's row, seat by a shared lock, the trusted browser by its own update. A reset,
 * disable, suspension or removal at the same moment either comes first and is seen, or comes later and finds the session.
 * The user's row is held before the seat, as by whoever ends a membership, so that nobody waits in a circle.
 */
export async function insertSignIn(db: Db, { session: s, ...admission }: Admission): Promise<Admitted> {
  const { rows } = await sql<Admitted>`
    with holder as materialized (select id from users where id = ${s.user_id}::uuid for no key update),
    claim as (${admission.claim}),
    seat as (
      select from memberships m join organizations o on o.id = m.organization_id
      where m.user_id = (select id from holder) and m.organization_id = ${s.organization_id}::uuid
        and ${isUnset('m.revoked_at')} and o.suspended_at is null
      for share of m, o
    ),
    trust as (${trustOf(admission.trust_hash, s)}),
    person as (
      update users u set last_login_at = ${s.now}::timestamptz, last_organization_id = ${s.organization_id}::uuid,
        password_hash = coalesce(${admission.new_hash}::text, u.password_hash)
      where u.id = ${s.user_id}::uuid and u.status = 'active'
        and (u.mfa_enabled_at is null or ${admission.mfa_settled}::bool or exists (select from trust))
        and (${admission.checked_hash}::text is null or u.password_hash = ${admission.checked_hash}::text)
        and exists (select from claim) and exists (select from seat)
      returning u.id
    ),
    opened as (
      insert into sessions (id, user_id, organization_id, auth_method, first_factor, aal, auth_time, mfa_verified_at, created_at,
        last_used_at, expires_at, access_expires_at, ip_address, user_agent, refresh_jti)
      select ${s.id}::uuid, ${s.user_id}::uuid, ${s.organization_id}::uuid, ${s.auth_method}::text,
        ${s.first_factor}::text, ${s.aal}::text, ${s.auth_time}::timestamptz, ${s.mfa_verified_at}::timestamptz, ${s.now}::timestamptz, ${s.now}::timestamptz,
        ${s.expires_at}::timestamptz, ${s.access_expires_at}::timestamptz, ${s.ip_address}::text, ${s.user_agent}::text,
        ${s.refresh_jti}::uuid
      from person returning id
    ),
    surplus as (
      select id from sessions
      where user_id = ${s.user_id}::uuid and revoked_at is null and expires_at > ${s.now}::timestamptz and exists (select from opened)
      order by id desc offset ${LIMITS.sessionsPerUser - 1}::int limit 100
    ),
    ended as (
      update sessions set revoked_at = ${s.now}::timestamptz
      where id = any (array(select id from surplus)) and ${isUnset('revoked_at')}
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
    ${usedUp(admission.uses, sql`person`)}
    noted as (${auditAlong(admission.audit, sql`person`)} union all ${endedEvents(admission.audit_ended)})
    select exists (select from opened) as opened, array(select id::text from ended) as ended`.execute(db);
  return rows[0]!;
}

/** A row for each of `ended`; their event ids differ from the given one in the last three digits. */
const endedEvents = (row: AuditInsert): RawBuilder<unknown> => sql`
  select overlay(${row.event_id}::text placing lpad(to_hex(row_number() over ()), 3, '0') from 34)::uuid,
    ${row.timestamp}::timestamptz, organization_id, ${row.actor_id}::uuid, ${row.actor_type}::text, ${row.action}::text,
    ${row.resource_type}::text, id::text, ${row.ip_address}::text, ${row.user_agent}::text, ${row.request_id}::uuid,
    ${row.metadata}::jsonb, ${row.outcome}::text
  from ended`;

const usedUp = (uses: Uses, source: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql.join(
    uses(source).map((use, index) => sql`${sql.raw(`used_${index}`)} as (${use}),`),
    sql` `,
  );

/** The user's row is held before the browser's, as by everybody who revokes one. */
const trustOf = (trust_hash: Buffer | null, { user_id, now }: NewSession): RawBuilder<unknown> =>
  trust_hash === null
    ? sql`select where false`
    : sql`with holder as materialized (select id from users where id = ${user_id}::uuid for no key update)
      update trusted_browsers set last_used_at = ${now}::timestamptz
      where token_hash = ${trust_hash}::bytea and user_id = (select id from holder)
        and revoked_at is null and expires_at > ${now}::timestamptz
      returning 1`;

/** Half a sign-in, for the second half to be counted in. */
export interface NewMfaToken {
  readonly jti: string;
  readonly created_at: Date;
  readonly kept_until: Date;
}

interface HalfAdmission {
  readonly user_id: string;
  readonly claim: RawBuilder<unknown>;
  readonly uses: Uses;
  readonly checked_hash: string | null;
  readonly new_hash: string | null;
  readonly audit: readonly AuditInsert[];
  readonly mfa_token: NewMfaToken | undefined;
}

/**
 * The proof is used up and told of, and nothing more: a second factor is still to come, or there is no seat. True when it
 * counted, and the account is still what it was when it was judged.
 */
export async function claimProof(db: Db, half: HalfAdmission): Promise<boolean> {
  const { rows } = await sql<{ counted: boolean }>`
    with person as materialized (
      select from users u where u.id = ${half.user_id}::uuid and u.status = 'active'
        and (${half.checked_hash}::text is null or u.password_hash = ${half.checked_hash}::text)
      for no key update
    ),
    claim as (${half.claim}),
    counted as materialized (select from person, claim),
    strengthened as (
      update users set password_hash = ${half.new_hash}::text
      where id = ${half.user_id}::uuid and ${half.new_hash}::text is not null and exists (select from counted)
    ),
    ${usedUp(half.uses, sql`counted`)}
    halved as (${pendingToken(half)}),
    noted as (${auditAlong(half.audit, sql`counted`)})
    select exists (select from counted) as counted`.execute(db);
  return rows[0]!.counted;
}

const pendingToken = ({ user_id, mfa_token: token }: HalfAdmission): RawBuilder<unknown> =>
  token === undefined
    ? sql`select where false`
    : sql`insert into mfa_tokens (jti, user_id, created_at, kept_until)
      select ${token.jti}::uuid, ${user_id}::uuid, ${token.created_at}::timestamptz, ${token.kept_until}::timestamptz
      from counted`;

interface Failure {
  readonly counters: readonly Counter[];
  /** Also counted by this statement, each with the row that is written when it becomes full. */
  readonly alarms?: readonly Alarm[];
  readonly audit: AuditInsert;
  readonly now: Date;
}

/** A wrong guess: counted and audited in one statement. Returns the new counts. */
export async function insertFailure(db: Db, { counters, alarms = [], audit, now }: Failure): Promise<Count[]> {
  const all = [...counters, ...alarms.map(({ counter }) => counter)];
  const { rows } = await sql<Count>`
    with counted as (${countEach(all, now)}),
    ${alarmsAlong(alarms)}
    noted as (${auditAlong([audit], sql`(select 1) as always`)})
    select key, count, resets_at from counted`.execute(db);
  return rows;
}

/** Holds while none of these counters is full. */
export const whileGuessesAreLeft = (counters: readonly Counter[], now: Date): RawBuilder<unknown> =>
  sql`select 1 where ${fullUntil(counters, now)} is null`;

export const NOTHING: Uses = () => [];

/** For a proof that nothing can take away between judging and writing. */
export const ALWAYS: RawBuilder<unknown> = sql`select 1`;

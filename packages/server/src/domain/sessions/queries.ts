import { NIL_UUID, type Restriction } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { isUnset } from '../../platform/db/is-unset.ts';
import type { PlatformRole } from '../kernel/permissions.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { firstFactor, reach } from '../kernel/statements.ts';
import { heldRoles, permsAt } from '../roles/queries.ts';

/** Why a session `s` of the user `u` is restricted; null if it is not. */
export const restriction = sql<Restriction | null>`case when s.restricted then
  case when u.mfa_enabled_at is null then 'mfa_enrollment' else 'mfa_verification' end end`;

/**
 * docs/reference/policy-and-sso.md#single-sign-on: a session `s` of single sign-on has no platform role, even if the
 * user `u` has one.
 */
export const platformRole = sql<PlatformRole | null>`case when s.connection_id is null then u.platform_role end`;

/** The networks that the policy allows; null: all. Checked for every request, so it is part of the cached state. */
export const allowedNetworks = sql<string[] | null>`nullif(o.policy -> 'allowed_networks', '[]')`;

/** Finds an active session: not ended, with an active user and membership and an organization that is not suspended. */
export const findLiveSession = (db: Db, id: string, now: Date): Promise<SessionState | undefined> =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 's.organization_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .select([
      's.id as session_id',
      's.user_id',
      's.organization_id',
      's.auth_method',
      firstFactor.as('first_factor'),
      's.connection_id',
      reach().as('reach'),
      restriction.as('restricted'),
      's.trusted_browser_id',
      allowedNetworks.as('allowed_networks'),
      's.aal',
      's.auth_time',
      's.mfa_verified_at',
      's.last_used_at',
      's.expires_at',
      'u.email',
      'u.email_verified_at',
      'u.display_name',
      'u.locale',
      platformRole.as('platform_role'),
      'm.role',
      heldRoles.as('held'),
      permsAt.as('perms_at'),
    ])
    .where('s.id', '=', id)
    .where(isUnset('s.revoked_at'))
    .where('s.expires_at', '>', now)
    .where('u.status', '=', 'active')
    .where('o.suspended_at', 'is', null)
    .where(isUnset('m.revoked_at'))
    .executeTakeFirst();

interface SessionFilter {
  readonly id?: string;
  readonly user_id?: string;
  readonly organization_id?: string;
  readonly connection_id?: string;
  readonly except?: string;
}

/** At least one of id, user, organization and connection must be given. */
const condition = ({ id, user_id, organization_id, connection_id, except }: SessionFilter): RawBuilder<unknown> =>
  sql.join(
    [
      ...(id === undefined ? [] : [sql`id = ${id}::uuid`]),
      ...(user_id === undefined ? [] : [sql`user_id = ${user_id}::uuid`]),
      ...(organization_id === undefined ? [] : [sql`organization_id = ${organization_id}::uuid`]),
      ...(connection_id === undefined ? [] : [sql`connection_id = ${connection_id}::uuid`]),
      ...(except === undefined ? [] : [sql`id <> ${except}::uuid`]),
    ],
    sql` and `,
  );

/** Finds one session by its id (see `isUnset`); those of a user, organization or connection by a partial index. */
const isActive = ({ id }: SessionFilter): RawBuilder<unknown> =>
  id === undefined ? sql`revoked_at is null` : isUnset('revoked_at');

/**
 * Ends active sessions and adds those with a valid access token to the feed. Two CTEs, `ended` and `published`, so that
 * a larger statement can end a session too.
 */
const endSessions = (which: SessionFilter, now: Date): RawBuilder<unknown> => sql`
  ended as (
    update sessions set revoked_at = ${now}::timestamptz
    where id = any (array(
      select id from sessions where ${condition(which)} and ${isActive(which)} and expires_at > ${now}::timestamptz
      order by id for no key update
    ))
    returning id, user_id, organization_id, access_expires_at
  ), published as (
    insert into revocations (sid, revoked_at, expires_at)
    select id, ${now}::timestamptz, access_expires_at from ended where access_expires_at > ${now}::timestamptz
    on conflict (sid) do nothing
  )`;

export interface EndedSession {
  readonly id: string;
  readonly user_id: string;
  readonly organization_id: string;
}

/**
 * A session that began with an emailed code stores what it has proved or added while the email is not verified:
 * 'password', or the id of a passkey or identity. Other sessions store nothing. See `findUnprovenCredentials`.
 */
export const rememberOwnCredential = (db: Db, session_id: string, credential: string) =>
  sql`update sessions s set own_credentials = array_append(s.own_credentials, ${credential}::text)
    from users u
    where s.id = ${session_id}::uuid and ${firstFactor} = 'email_otp' and u.id = s.user_id
      and u.email_verified_at is null and ${credential}::text <> all (s.own_credentials)`.execute(db);

/** Copies what `rememberOwnCredential` has stored to the session that replaces this one. */
export const copyOwnCredentials = (tx: Tx, { from, to }: { from: string; to: string }) =>
  sql`update sessions s set own_credentials = old.own_credentials from sessions old
    where s.id = ${to}::uuid and old.id = ${from}::uuid and old.own_credentials <> '{}'`.execute(tx);

/** Returns the sessions that were active until now. */
export async function revokeSessions(tx: Tx, which: SessionFilter, now: Date): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    with ${endSessions(which, now)} select id, user_id, organization_id from ended`.execute(tx);
  return rows;
}

/** Finds active and ended sessions, to distinguish a user's own ended session from an unknown id. */
export const findSessionOwner = (db: Db, id: string) =>
  db.selectFrom('sessions').select(['user_id', 'revoked_at']).where('id', '=', id).executeTakeFirst();

export const listLiveSessions = (db: Db, { user_id, now, limit }: { user_id: string; now: Date; limit: number }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 's.organization_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .select([
      's.id',
      's.created_at',
      's.last_used_at',
      's.expires_at',
      's.ip_address',
      's.user_agent',
      's.auth_method',
      's.aal',
      's.organization_id',
    ])
    .where('s.user_id', '=', user_id)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', now)
    .where('o.suspended_at', 'is', null)
    .where('m.revoked_at', 'is', null)
    .orderBy('s.last_used_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(limit)
    .execute();

interface SessionPage {
  readonly user_id: string;
  /** True: only revoked sessions; false: only others. Each of the two has an index. */
  readonly ended: boolean;
  /** Only sessions with lower ids, which are older. Left out: from the newest. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export const listSessionRecords = (db: Db, { user_id, ended, before, limit }: SessionPage) =>
  db
    .selectFrom('sessions')
    .select(['id', 'organization_id', 'auth_method', 'aal', 'created_at', 'last_used_at', 'expires_at'])
    .select(['ip_address', 'user_agent', 'revoked_at'])
    .where('user_id', '=', user_id)
    .where('revoked_at', ended ? 'is not' : 'is', null)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/**
 * Sets `last_used_at` at most once per `every` seconds, even if several replicas have seen the session. Rows are locked
 * in the order of their ids. Passing ids as an array, here and above, gives a good plan even with outdated statistics.
 */
export const updateLastUsed = (db: Db, ids: readonly string[], { now, every }: { now: Date; every: number }) =>
  sql`update sessions set last_used_at = ${now}::timestamptz where id = any (array(
    select id from sessions where id = any (${ids}::uuid[]) and ${isUnset('revoked_at')}
      and last_used_at <= ${now}::timestamptz - ${every}::int * interval '1 second'
    order by id for no key update
  ))`.execute(db);

/** Session ids begin with the time of creation, so the oldest are found without a separate index. */
export const deleteOldSessions = (
  db: Db,
  { before_id, ended_before, limit }: { before_id: string; ended_before: Date; limit: number },
): Promise<number> =>
  deleteSome(db, {
    table: 'sessions',
    where: sql`id < ${before_id}::uuid and (expires_at < ${ended_before} or revoked_at < ${ended_before})`,
    oldest: sql`id`,
    limit,
  });

interface BegunWithin {
  readonly now: Date;
  readonly began: { readonly since: Date; readonly before: Date };
  readonly limit: number;
}

/** Ends up to `limit` active sessions and adds those with a valid access token to the feed. Returns how many. */
export async function revokeAnySessions(tx: Tx, { now, began, limit }: BegunWithin): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ended as (
      update sessions set revoked_at = ${now}
      where id in (select id from sessions where revoked_at is null and expires_at > ${now}
        and created_at >= ${began.since} and created_at < ${began.before} limit ${limit} for update)
      returning id, access_expires_at
    ), published as (
      insert into revocations (sid, revoked_at, expires_at)
      select id, ${now}, access_expires_at from ended where access_expires_at > ${now}
      on conflict (sid) do nothing
    )
    select count(*) as count from ended`.execute(tx);
  return rows[0]!.count;
}

export const deleteExpiredRevocations = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'revocations', where: sql`expires_at < ${now}`, oldest: sql`expires_at`, limit });

interface LoweredSessions {
  readonly user_id: string;
  readonly except_passkey_session?: string;
}

/**
 * Lowers to `aal1` the sessions that a second factor has raised. Where the policy requires one, they are restricted,
 * and so are those that began in a trusted browser. Sessions of single sign-on are never restricted, and keep the
 * `aal2` that their provider proved. Locks them in the order of ids (avoids deadlocks).
 */
export const lowerSessions = (tx: Tx, { user_id, except_passkey_session = NIL_UUID }: LoweredSessions) =>
  sql`update sessions s set aal = 'aal1', mfa_verified_at = null,
      restricted = s.connection_id is null and coalesce((o.policy -> 'require_mfa')::bool, false)
    from organizations o where o.id = s.organization_id and s.id = any (array(
      select s.id from sessions s where s.user_id = ${user_id}::uuid and s.revoked_at is null
        and (s.aal <> 'aal1' or s.mfa_verified_at is not null or s.trusted_browser_id is not null)
        and (s.connection_id is null or s.mfa_verified_at is not null)
        and (s.id = ${except_passkey_session}::uuid and ${firstFactor} = 'passkey') is not true
      order by s.id for no key update
    ))`.execute(tx);

/** Whether the session was revoked. The guard has checked its expiry. */
export async function isRevokedSession(tx: Tx, id: string): Promise<boolean> {
  const session = tx.selectFrom('sessions').select('id').where('id', '=', id).where('revoked_at', 'is', null);
  return (await session.executeTakeFirst()) === undefined;
}

/** Locks the session in share mode, so that it cannot be ended concurrently. Returns undefined if it has ended. */
export const findSessionForFreshAuth = (
  tx: Tx,
  { session_id, user_id }: { session_id: string; user_id: string },
  now: Date,
) =>
  tx
    .selectFrom('sessions as s')
    .select(['s.aal', 's.auth_time', 's.mfa_verified_at', 's.organization_id', reach().as('reach')])
    .where('id', '=', session_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .forShare()
    .executeTakeFirst();

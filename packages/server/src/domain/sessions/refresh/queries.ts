import type { AuthMethod, Policy, Restriction } from '@gatehouse/contract';
import { sql } from 'kysely';
import {
  batched,
  type Numbered,
  type Operand,
  type Operands,
  SINGLE,
  type Source,
} from '../../../platform/db/batch.ts';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { deleteSome } from '../../../platform/db/delete-some.ts';
import { isUnset } from '../../../platform/db/is-unset.ts';
import type { MemberPermissions } from '../../kernel/permissions.ts';
import type { SessionState } from '../../kernel/session-state.ts';
import { firstFactor, reach } from '../../kernel/statements.ts';
import { type CheckedSession, hasPolicy, policyFacts } from '../../policy/queries.ts';
import { heldRoles, permsAt } from '../../roles/queries.ts';
import { allowedNetworks, platformRole, restriction } from '../queries.ts';

interface Rotation {
  readonly id: string;
  readonly jti: string;
  readonly next_jti: string;
  readonly now: Date;
  /** Seconds until the access token expires. */
  readonly access: number;
  /** Seconds until the refresh token expires. */
  readonly refresh: number;
  /** Seconds after the sign-in until the session expires. */
  readonly family: number;
}

/** What the check of a policy has read, and its result. */
export interface Checked {
  readonly found: { readonly policy: Policy | null; readonly aal: 'aal1' | 'aal2'; readonly restricted: boolean };
  readonly restricted: boolean;
}

/**
 * Undefined: the session was not checked, so the organization must have no policy, and the session no restriction from
 * an earlier one. Otherwise the organization must still have the checked policy, and no second factor was verified,
 * disabled or reset since the check.
 */
const isChecked = (checked: Checked | undefined) =>
  checked
    ? sql`${hasPolicy(checked.found.policy)} and s.aal = ${checked.found.aal}
        and s.restricted = ${checked.found.restricted}`
    : sql`o.policy is null and not s.restricted`;

/** Contains no parameter if nothing was checked, because `rotateWithoutPolicy` is compiled only once. */
const restrictedNow = (checked: Checked | undefined) => (checked ? sql`${checked.restricted}::bool` : sql`false`);

export interface RotatedSession extends MemberPermissions {
  readonly user_id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly aal: 'aal1' | 'aal2';
  readonly auth_method: AuthMethod;
  readonly auth_time: Date;
  readonly expires_at: Date;
  readonly perms_at: number;
  readonly restricted: Restriction | null;
}

/** A session that may continue: its user and membership active, its organization not suspended. */
const isActive = (now: Operand<Date>) => sql`${isUnset('s.revoked_at')} and s.expires_at > ${now}::timestamptz
    and u.id = s.user_id and u.status = 'active' and o.id = s.organization_id and o.suspended_at is null
    and m.organization_id = s.organization_id and m.user_id = s.user_id and ${isUnset('m.revoked_at')}`;

const ROTATED = sql`s.user_id, s.organization_id, u.email, u.email_verified_at, s.aal, s.auth_method, s.auth_time, s.expires_at,
  m.role, ${heldRoles} as held, ${permsAt} as perms_at, ${restriction} as restricted`;

const rotation = (
  { id, jti, next_jti, now, access, refresh, family, nth }: Operands<Rotation & Numbered>,
  checked: Checked | undefined,
  { cte, from }: Source = SINGLE,
) => {
  const later = (seconds: Operand<number>) => sql`${seconds}::int * interval '1 second'`;
  return sql<RotatedSession & Numbered>`
    with ${cte} rotated as (
      update sessions s set
        refresh_jti = ${next_jti}::uuid,
        last_used_at = ${now}::timestamptz,
        expires_at = least(${now}::timestamptz + ${later(refresh)}, s.auth_time + ${later(family)}),
        access_expires_at = greatest(s.access_expires_at, ${now}::timestamptz + ${later(access)}),
        restricted = ${restrictedNow(checked)}
      from users u, organizations o, memberships m${from}
      where s.id = ${id}::uuid and s.refresh_jti = ${jti}::uuid and ${isActive(now)} and ${isChecked(checked)}
      returning ${ROTATED}, ${nth}::int as nth, ${jti}::uuid as used_jti, ${now}::timestamptz as used_at
    ), used as (
      insert into refresh_uses (jti, used_at) select used_jti, used_at from rotated
      on conflict (jti) do nothing
    )
    select * from rotated`;
};

const rotateWithoutPolicy = batched<Rotation, 'id', RotatedSession & Numbered>({
  table: 'sessions',
  key: 'id',
  columns: {
    id: 'uuid',
    jti: 'uuid',
    next_jti: 'uuid',
    now: 'timestamptz',
    access: 'int',
    refresh: 'int',
    family: 'int',
  },
  statement: (values, source) => rotation(values, undefined, source),
});

/**
 * Replaces the refresh token. Returns undefined unless it was the current one of an active session whose organization
 * has the checked policy.
 */
export const rotateSession = async (
  db: Db,
  values: Rotation,
  checked: Checked | undefined,
): Promise<RotatedSession | undefined> =>
  checked ? (await rotation({ ...values, nth: 0 }, checked).execute(db)).rows[0] : rotateWithoutPolicy(db, values);

export interface FoundSession extends CheckedSession {
  readonly user_id: string;
  readonly organization_id: string;
  readonly refresh_jti: string;
  readonly restricted: boolean;
  /** When the token was used, if that was recently. */
  readonly used_at: Date | null;
}

/** The session of a refresh token that could not be rotated, with the facts that its policy is checked against. */
export async function findRefreshed(db: Db, sid: string, jti: string, now: Date): Promise<FoundSession | undefined> {
  const { rows } = await sql<FoundSession>`
    select s.user_id, s.organization_id, s.refresh_jti, s.restricted, ${policyFacts(now)},
      (select used_at from refresh_uses where jti = ${jti}::uuid) as used_at
    from sessions s, users u, organizations o, memberships m
    where s.id = ${sid}::uuid and ${isActive(now)}`.execute(db);
  return rows[0];
}

interface Extension {
  readonly sid: string;
  /** If set, the session is extended only while this is its unused refresh token. */
  readonly refresh_jti?: string | undefined;
  readonly now: Date;
  /** Seconds for which the new access token is valid. */
  readonly access: number;
  /** Seconds after the sign-in until the session expires. */
  readonly family: number;
  readonly checked: Checked | undefined;
}

/** Extends `access_expires_at`, so that the feed covers one more access token. The refresh token is not changed. */
const extended = ({ sid, refresh_jti, now, access, family, checked }: Extension, changes = sql``) => sql`
  update sessions s set ${changes}
    expires_at = least(s.expires_at, s.auth_time + ${family}::int * interval '1 second'),
    access_expires_at = greatest(s.access_expires_at, ${now}::timestamptz + ${access}::int * interval '1 second'),
    restricted = ${restrictedNow(checked)}
  from users u, organizations o, memberships m
  where s.id = ${sid}::uuid and ${refresh_jti === undefined ? sql`true` : sql`s.refresh_jti = ${refresh_jti}::uuid`}
    and ${isActive(now)} and ${isChecked(checked)}`;

/** For a repeated refresh request: returns the session while the successor of the used token is unused. */
export async function extendSession(db: Db, next_jti: string, extension: Extension) {
  const { rows } = await sql<RotatedSession>`
    ${extended({ ...extension, refresh_jti: next_jti })} returning ${ROTATED}`.execute(db);
  return rows[0];
}

/** Returns the state of the session; undefined if it has ended or its organization has another policy than checked. */
export async function extendAccess(db: Db, extension: Extension): Promise<SessionState | undefined> {
  const { rows } = await sql<SessionState>`
    ${extended(extension)}
    returning s.id as session_id, ${ROTATED}, ${firstFactor} as first_factor, s.connection_id, ${reach()} as reach, s.mfa_verified_at, s.last_used_at,
      s.trusted_browser_id, ${allowedNetworks} as allowed_networks, u.display_name, ${platformRole} as platform_role`.execute(
    db,
  );
  return rows[0];
}

/**
 * Marks the second factor of the session as verified. Returns the expiry of the session, or undefined as `extendAccess`
 * does.
 */
export async function updateSessionVerified(tx: Tx, extension: Extension): Promise<Date | undefined> {
  const verified = sql`aal = 'aal2', mfa_verified_at = ${extension.now}::timestamptz,`;
  const { rows } = await sql<{ expires_at: Date }>`
    ${extended(extension, verified)} returning s.expires_at`.execute(tx);
  return rows[0]?.expires_at;
}

export const deleteOldRefreshUses = (db: Db, before: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'refresh_uses', where: sql`used_at < ${before}`, oldest: sql`used_at`, limit });

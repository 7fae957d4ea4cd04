import type { AuthMethod } from '@gatehouse/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import { deleteSome } from '../../../platform/db/delete-some.ts';
import { isUnset } from '../../../platform/db/is-unset.ts';
import type { Grants } from '../../access/roles.ts';
import { heldRoles, permsAt } from '../../roles/queries.ts';
import { firstFactor } from '../queries.ts';
import type { SessionState } from '../state.ts';

interface Rotation {
  readonly sid: string;
  readonly jti: string;
  readonly next_jti: string;
  readonly now: Date;
  readonly ttl: { readonly access: number; readonly refresh: number; readonly family: number };
}

export interface RotatedSession extends Grants {
  readonly user_id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly aal: 'aal1' | 'aal2';
  readonly auth_method: AuthMethod;
  readonly auth_time: Date;
  readonly expires_at: Date;
  readonly perms_at: number;
}

/** A session that may continue: its user and membership active, its organization not suspended. */
const isActive = (now: Date) => sql`${isUnset('s.revoked_at')} and s.expires_at > ${now}::timestamptz
    and u.id = s.user_id and u.status = 'active' and o.id = s.organization_id and o.suspended_at is null
    and m.organization_id = s.organization_id and m.user_id = s.user_id and ${isUnset('m.revoked_at')}`;

const ROTATED = sql`s.user_id, s.organization_id, u.email, u.email_verified_at, s.aal, s.auth_method, s.auth_time, s.expires_at,
  m.role, ${heldRoles} as held, ${permsAt} as perms_at`;

/** Replaces the token by its successor. Returns undefined unless it was the current token of an active session. */
export async function rotateSession(
  db: Db,
  { sid, jti, next_jti, now, ttl }: Rotation,
): Promise<RotatedSession | undefined> {
  const later = (seconds: number) => sql`${now}::timestamptz + ${seconds}::int * interval '1 second'`;
  const { rows } = await sql<RotatedSession>`
    with rotated as (
      update sessions s set
        refresh_jti = ${next_jti}::uuid,
        last_used_at = ${now}::timestamptz,
        expires_at = least(${later(ttl.refresh)}, s.auth_time + ${ttl.family}::int * interval '1 second'),
        access_expires_at = greatest(s.access_expires_at, ${later(ttl.access)})
      from users u, organizations o, memberships m
      where s.id = ${sid}::uuid and s.refresh_jti = ${jti}::uuid and ${isActive(now)}
      returning ${ROTATED}
    ), used as (
      insert into refresh_uses (jti, used_at) select ${jti}::uuid, ${now}::timestamptz from rotated
      on conflict (jti) do nothing
    )
    select * from rotated`.execute(db);
  return rows[0];
}

/** The session of a refresh token that is not the current one, and when the token was used, if that was recently. */
export async function findSpentRefresh(db: Db, sid: string, jti: string, now: Date) {
  const { rows } = await sql<{ user_id: string; organization_id: string; refresh_jti: string; used_at: Date | null }>`
    select s.user_id, s.organization_id, s.refresh_jti, (select used_at from refresh_uses where jti = ${jti}::uuid) as used_at
    from sessions s, users u, organizations o, memberships m
    where s.id = ${sid}::uuid and ${isActive(now)}`.execute(db);
  return rows[0];
}

/**
 * Returns the session again while the successor of the used token is unused. Extends `access_expires_at`, so that the
 * feed covers the new access token.
 */
export async function extendSession(db: Db, sid: string, next_jti: string, now: Date, access: number) {
  const { rows } = await sql<RotatedSession>`
    update sessions s set
      access_expires_at = greatest(s.access_expires_at, ${now}::timestamptz + ${access}::int * interval '1 second')
    from users u, organizations o, memberships m
    where s.id = ${sid}::uuid and s.refresh_jti = ${next_jti}::uuid and ${isActive(now)}
    returning ${ROTATED}`.execute(db);
  return rows[0];
}

/**
 * Extends `access_expires_at` for one more access token and returns the state of the session. Returns undefined if the
 * session has ended or, if `refresh_jti` is given, if that is not its unused refresh token. The refresh token is not
 * changed.
 */
export async function extendAccess(
  db: Db,
  { sid, refresh_jti = null, now, access }: { sid: string; refresh_jti?: string | null; now: Date; access: number },
): Promise<SessionState | undefined> {
  const { rows } = await sql<SessionState>`
    update sessions s set
      access_expires_at = greatest(s.access_expires_at, ${now}::timestamptz + ${access}::int * interval '1 second')
    from users u, organizations o, memberships m
    where s.id = ${sid}::uuid and (${refresh_jti}::uuid is null or s.refresh_jti = ${refresh_jti}::uuid)
      and ${isActive(now)}
    returning s.id as session_id, ${ROTATED}, ${firstFactor} as first_factor, s.mfa_verified_at, s.last_used_at,
      u.display_name, u.platform_role`.execute(db);
  return rows[0];
}

export const deleteOldRefreshUses = (db: Db, before: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'refresh_uses', where: sql`used_at < ${before}`, oldest: sql`used_at`, limit });

import { type RawBuilder, sql } from 'kysely';
import { batched, type Numbered, type Operand } from '../../../../platform/db/batch.ts';
import { isUnset } from '../../../../platform/db/is-unset.ts';
import { type AuditInsert, auditEach } from '../../../audit/queries.ts';
import { type ApplicationGrant, COLUMNS, FROM, isLive, later } from '../queries.ts';

export interface Lifetimes {
  readonly access: number;
  readonly refresh: number;
  readonly family: number;
}

interface CodeUse extends Omit<AuditInsert, 'timestamp' | 'organization_id' | 'actor_id' | 'resource_id'> {
  /** SHA-256 in PostgreSQL's hex format for `bytea`: `\x…`. */
  readonly code_hash: string;
  readonly application_id: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly resource: string | null;
  /** The id of the first refresh token, if the grant gets one. */
  readonly refresh_jti: string;
  readonly now: Date;
  /** Lifetimes in seconds. */
  readonly access: number;
  readonly refresh: number;
  readonly family: number;
}

type UsedCode = ApplicationGrant & Numbered & { readonly nonce: string | null; readonly session_ends: Date };

/**
 * Uses the code: the `code_used_at` guard ensures that only the first update affects the row. The same statement
 * writes the audit row and, for a single request, records what tokens are issued for. Returns undefined if the code is
 * not valid for this request.
 */
export const useCode = batched<CodeUse, 'code_hash', UsedCode>({
  table: 'application_grants',
  key: 'code_hash',
  columns: {
    code_hash: 'bytea',
    application_id: 'uuid',
    redirect_uri: 'text',
    code_challenge: 'text',
    resource: 'text',
    refresh_jti: 'uuid',
    now: 'timestamptz',
    access: 'int',
    refresh: 'int',
    family: 'int',
    event_id: 'uuid',
    actor_type: 'text',
    action: 'text',
    resource_type: 'text',
    ip_address: 'text',
    user_agent: 'text',
    request_id: 'uuid',
    metadata: 'text',
    outcome: 'text',
    visibility: 'text',
  },
  statement: (use, { cte, from, isBatch }) => sql<UsedCode>`
    with ${cte} spent as (
      update application_grants g set code_used_at = ${use.now}::timestamptz, last_used_at = ${use.now}::timestamptz,
        access_expires_at = ${later(use.now, use.access)},
        refresh_jti = case when g.offline then ${use.refresh_jti}::uuid end,
        expires_at = case when g.offline
          then least(${later(use.now, use.refresh)}, g.created_at + ${use.family}::int * interval '1 second')
          else g.expires_at end
      from ${FROM}, sessions s${from}
      where g.code_hash = ${use.code_hash}::bytea and g.application_id = ${use.application_id}::uuid
        and ${isUnset('g.code_used_at')} and g.code_expires_at > ${use.now}::timestamptz
        and g.redirect_uri = ${use.redirect_uri}::text and g.code_challenge = ${use.code_challenge}::text
        and ${repeats(use.resource)}
        and s.id = g.session_id and ${isUnset('s.revoked_at')} and s.expires_at > ${use.now}::timestamptz and not s.restricted
        and ${isLive(use.now)} and ${isBatch ? isRecorded(sql`g`) : sql`true`}
      returning ${COLUMNS}, g.nonce, s.expires_at as session_ends, ${use.nth}::int as nth, ${use.now}::timestamptz as used_at
    ), ${isBatch ? sql`` : RECORDED} audit_row as (${auditEach(
      use,
      { organization_id: sql`spent.organization_id`, actor_id: sql`spent.user_id`, resource_id: sql`spent.id::text` },
      sql`spent${from} where spent.nth = ${use.nth}::int`,
    )})
    select * from spent`,
});

/**
 * Whether the user's list of applications shows the grant already. A batch uses no other codes: it must not wait for a
 * consent that another transaction changes, or change one twice.
 */
const isRecorded = (grant: RawBuilder<unknown>) => sql`exists (select from application_consents c
  where c.user_id = ${grant}.user_id and c.application_id = ${grant}.application_id and c.revoked_at is null
    and c.issued_scopes @> ${grant}.scopes)`;

/**
 * Adds the issued scopes to the user's list of applications. Trusted applications are listed too, although they need no
 * consent.
 */
const RECORDED = sql`recorded as (
  insert into application_consents (user_id, application_id, scopes, issued_scopes, granted_at)
  select user_id, application_id, '{}', scopes, used_at from spent where not ${isRecorded(sql`spent`)}
  on conflict (user_id, application_id) do update set
    issued_scopes = case when application_consents.revoked_at is null
      then array(select distinct unnest(application_consents.issued_scopes || excluded.issued_scopes) order by 1)
      else excluded.issued_scopes end,
    scopes = case when application_consents.revoked_at is null then application_consents.scopes else '{}' end,
    granted_at = case when application_consents.revoked_at is null
      then application_consents.granted_at else excluded.granted_at end,
    revoked_at = null
),`;

/** A token request may repeat the resource of the grant, but not change it. The application must still list it. */
const repeats = (
  resource: Operand<string | null>,
): RawBuilder<unknown> => sql`(${resource}::text is null or g.resource = ${resource}::text)
  and (g.resource is null or g.resource = any (a.resources))`;

interface Rotation {
  readonly id: string;
  readonly application_id: string;
  readonly jti: string;
  readonly next_jti: string;
  readonly resource: string | null;
  /** The requested scopes; null: those of the grant. */
  readonly scopes: readonly string[] | null;
  readonly now: Date;
  /** Lifetimes in seconds. */
  readonly access: number;
  readonly refresh: number;
  readonly family: number;
}

/** Replaces the refresh token by its successor. Returns undefined unless it was the current one of a live grant. */
export const rotateGrant = batched<Rotation, 'id', ApplicationGrant & Numbered>({
  table: 'application_grants',
  key: 'id',
  columns: {
    id: 'uuid',
    application_id: 'uuid',
    jti: 'uuid',
    next_jti: 'uuid',
    resource: 'text',
    scopes: 'text[]',
    now: 'timestamptz',
    access: 'int',
    refresh: 'int',
    family: 'int',
  },
  statement: (use, { cte, from }) => sql<ApplicationGrant & Numbered>`
    with ${cte} rotated as (
      update application_grants g set refresh_jti = ${use.next_jti}::uuid, last_used_at = ${use.now}::timestamptz,
        expires_at = least(${later(use.now, use.refresh)}, g.created_at + ${use.family}::int * interval '1 second'),
        access_expires_at = greatest(g.access_expires_at, ${later(use.now, use.access)})
      from ${FROM}${from}
      where g.id = ${use.id}::uuid and g.application_id = ${use.application_id}::uuid
        and g.refresh_jti = ${use.jti}::uuid and ${repeats(use.resource)}
        and (${use.scopes}::text[] is null or g.scopes @> ${use.scopes}::text[]) and ${isLive(use.now)}
      returning ${COLUMNS}, ${use.nth}::int as nth, ${use.jti}::uuid as used_jti, ${use.now}::timestamptz as used_at
    ), used as (
      insert into refresh_uses (jti, used_at) select used_jti, used_at from rotated
      on conflict (jti) do nothing
    )
    select * from rotated`,
});

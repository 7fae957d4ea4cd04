import { domainToUnicode } from 'node:url';
import type { Policy, PolicyPreview } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { isUnset } from '../../platform/db/is-unset.ts';
import { canonicalNetwork } from '../../platform/networks.ts';
import type { RelyingParty } from '../kernel/relying-party.ts';
import { firstFactor, isUsable, reach } from '../kernel/statements.ts';
import { policyParameter } from './policy.ts';
import type { PolicyFacts } from './refusal.ts';

/** True if the organization `o` still has the policy that was checked; otherwise the statement writes nothing. */
export const hasPolicy = (policy: Policy | null): RawBuilder<boolean> =>
  sql`o.policy is not distinct from ${policyParameter(policy)}::jsonb`;

/** Whether the session `s` began in a browser that its user trusted, and still trusts, instead of a second factor. */
export const inTrustedBrowser = (now: Date): RawBuilder<boolean> => sql`exists (
  select from trusted_browsers b
  where b.id = s.trusted_browser_id and b.revoked_at is null and b.expires_at > ${now}::timestamptz
)`;

const verifiedDomains = sql<string[]>`array(
  select domain from domains where organization_id = o.id and removed_at is null and verified_at is not null)`;

/** The domains that a policy is checked against. Empty without a policy, which saves the subquery. */
export const policyDomains = sql<string[]>`case when o.policy is null then '{}' else ${verifiedDomains} end`;

/** The columns of `PolicyFacts`, of a session `s` with its user `u` and organization `o`. */
export const policyFacts = (now: Date): RawBuilder<unknown> => sql`
  o.policy, ${firstFactor} as first_factor, s.aal, s.auth_time, ${reach()} as reach, u.email, ${verifiedDomains} as domains,
  (select own.role from memberships own
    where own.organization_id = s.organization_id and own.user_id = s.user_id and own.revoked_at is null) as role,
  (u.mfa_enabled_at is not null and ${inTrustedBrowser(now)}) as trusted_browser`;

export interface CheckedSession extends Omit<PolicyFacts, 'ip_address'> {
  readonly policy: Policy | null;
}

/** Returns undefined if the session has ended. */
export async function findCheckedSession(db: Db, sid: string, now: Date) {
  const { rows } = await sql<CheckedSession & { readonly restricted: boolean }>`
    select s.restricted, ${policyFacts(now)} from sessions s
      join users u on u.id = s.user_id join organizations o on o.id = s.organization_id
    where s.id = ${sid}::uuid and ${isUnset('s.revoked_at')} and s.expires_at > ${now}::timestamptz`.execute(db);
  return rows[0];
}

export const findPolicy = (db: Db, organization_id: string) =>
  db.selectFrom('organizations').select('policy').where('id', '=', organization_id).executeTakeFirst();

/** Locks the row until the transaction ends; a concurrent sign-in to the organization locks it too. */
export const findPolicyForUpdate = (tx: Tx, organization_id: string) =>
  tx
    .selectFrom('organizations')
    .select(['policy', 'name'])
    .where('id', '=', organization_id)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updatePolicy = (tx: Tx, organization_id: string, policy: string | null) =>
  tx.updateTable('organizations').set({ policy }).where('id', '=', organization_id).execute();

/** Resets the policies of organizations in which this user is the owner and the only member. Returns what they were. */
export async function resetPoliciesOfSoleMember(tx: Tx, user_id: string) {
  const { rows } = await sql<{ organization_id: string; old: Policy }>`
    with locked_organizations as (
      select o.id, o.policy from memberships m join organizations o on o.id = m.organization_id
      where m.user_id = ${user_id}::uuid and m.role = 'owner' and ${isUnset('m.revoked_at')} and o.policy is not null
        and not exists (
          select from memberships other join users u on u.id = other.user_id and u.status <> 'deleted'
          where other.organization_id = o.id and other.user_id <> m.user_id and ${isUnset('other.revoked_at')}
        )
      order by o.id for no key update of o
    )
    update organizations o set policy = null from locked_organizations locked where o.id = locked.id
    returning o.id as organization_id, locked.policy as old`.execute(tx);
  return rows;
}

/**
 * Whether an active owner could sign in without single sign-on, by password and second factor or by passkey, with a
 * method that is allowed.
 */
export async function canBreakGlass(
  tx: Tx,
  { organization_id, relyingParty }: { readonly organization_id: string; readonly relyingParty: RelyingParty },
  allowed: { readonly password: boolean; readonly passkey: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ possible: boolean }>`
    select exists (
      select from memberships m join users u on u.id = m.user_id and u.status = 'active'
      where m.organization_id = ${organization_id}::uuid and m.role = 'owner' and m.revoked_at is null
        and ((${allowed.password}::bool and u.password_hash is not null and u.mfa_enabled_at is not null)
          or (${allowed.passkey}::bool and exists (
            select from passkeys p where p.user_id = u.id and p.revoked_at is null and ${isUsable(relyingParty)})))
    ) as possible`.execute(tx);
  return rows[0]!.possible;
}

interface Rules {
  readonly relyingParty: RelyingParty;
  readonly organization_id: string;
  readonly policy: Policy;
  /** The first factors that the policy allows. Null: all. */
  readonly first_factors: readonly FirstFactor[] | null;
  /** The verified domains of the organization. */
  readonly domains: readonly string[];
  readonly now: Date;
}

/** Counts the members that each rule would affect, by the sessions that they have now. */
export async function countAffected(
  db: Db,
  { relyingParty, organization_id, policy, first_factors, domains, now }: Rules,
): Promise<PolicyPreview> {
  const { require_mfa, session_max_age_seconds: age, allowed_networks } = policy;
  const networks = allowed_networks.map(canonicalNetwork);
  // An address may contain either form of an internationalized name.
  const names = policy.sso_required ? domains.flatMap((name) => [name, domainToUnicode(name)]) : [];
  const { rows } = await sql<PolicyPreview>`
    with members as materialized (
      select u.id, u.mfa_enabled_at is null and not exists (
          select from passkeys p where p.user_id = u.id and p.revoked_at is null and ${isUsable(relyingParty)}
        ) as without_factor, substring(u.email from '[^@]*$') as domain
      from memberships m join users u on u.id = m.user_id
      where m.organization_id = ${organization_id}::uuid and m.revoked_at is null and u.status = 'active'
    ), used as materialized (
      select s.user_id, ${firstFactor} as first_factor, s.auth_time, s.ip_address
      from sessions s where s.organization_id = ${organization_id}::uuid and s.revoked_at is null
        and s.expires_at > ${now}::timestamptz and s.user_id in (select id from members)
    )
    select (select count(*) from members) as members,
      (select count(*) from members where without_factor and ${require_mfa}::bool) as require_mfa,
      (select count(*) from members where domain = any (${names}::text[])) as sso_required,
      (select count(distinct user_id) from used where ${first_factors}::text[] is not null
        and first_factor = any (${first_factors}::text[]) is not true) as allowed_methods,
      (select count(distinct user_id) from used
        where auth_time + ${age}::int * interval '1 second' <= ${now}::timestamptz) as session_max_age_seconds,
      (select count(distinct user_id) from used where cardinality(${networks}::text[]) > 0
        and (ip_address::inet <<= any (${networks}::text[]::inet[])) is not true) as allowed_networks`.execute(db);
  return rows[0]!;
}

import { LIMITS } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import { deleteSome } from '../../../platform/db/delete-some.ts';
import type { MembershipKey } from '../../kernel/membership-key.ts';

/**
 * Whose tokens become stale: one member, a user in all organizations, every member and service account with one of
 * these roles, or a whole organization. For a service account, `user_id` is its id.
 */
export type Affected =
  | MembershipKey
  | { readonly user_id: string }
  | { readonly role_ids: readonly string[] }
  | { readonly whole_organization_id: string };

const membershipsOf = (affected: Affected): RawBuilder<unknown> => {
  if ('role_ids' in affected) {
    return sql`select organization_id, user_id from member_roles where role_id = any (${affected.role_ids}::uuid[])
      union
      select a.organization_id, a.id from service_account_roles held join service_accounts a on a.id = held.service_account_id
      where held.role_id = any (${affected.role_ids}::uuid[])`;
  }
  if ('organization_id' in affected) {
    return sql`select ${affected.organization_id}::uuid as organization_id, ${affected.user_id}::uuid as user_id`;
  }
  return sql`select null::uuid as organization_id, null::uuid as user_id where false`;
};

const wholeOf = (affected: Affected): string | null =>
  'whole_organization_id' in affected ? affected.whole_organization_id : null;

const personOf = (affected: Affected): string | null =>
  'user_id' in affected && !('organization_id' in affected) ? affected.user_id : null;

interface Change {
  readonly affected: Affected;
  /** When a token that is issued now expires. */
  readonly expires_at: Date;
  /** When any token expires, whatever the settings were when it was issued. */
  readonly latest_expiry: Date;
}

/**
 * Inserts entries that are not published yet, and returns their subjects: `<org>/<sub>`, `<org>`, `*` with `/<sub>` for
 * a user in all organizations, or `*`, which only roles of the whole service cause. An entry lasts at least as long as
 * the tokens that the sessions have now, which may have been issued with a longer lifetime.
 */
export async function insertRefreshes(tx: Tx, { affected, expires_at, latest_expiry }: Change): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    with affected as materialized (${membershipsOf(affected)}),
    sizes as materialized (select organization_id, count(*) as members from affected group by organization_id),
    subjects as materialized (
      select '*' as subject, ${latest_expiry}::timestamptz as expires_at
      where (select count(*) from sizes) > ${LIMITS.refreshes.organizations}::int
      union all
      select organization_id::text, (select max(s.access_expires_at) from sessions s
        where s.organization_id = sizes.organization_id and s.revoked_at is null)
      from sizes where members > ${LIMITS.refreshes.members}::int
        and (select count(*) from sizes) <= ${LIMITS.refreshes.organizations}::int
      union all
      select whole.id::text, (select max(s.access_expires_at) from sessions s
        where s.organization_id = whole.id and s.revoked_at is null)
      from (select ${wholeOf(affected)}::uuid as id) as whole where whole.id is not null
      union all
      select concat('*/', person.id), (select max(s.access_expires_at) from sessions s
        where s.user_id = person.id and s.revoked_at is null)
      from (select ${personOf(affected)}::uuid as id) as person where person.id is not null
      union all
      select concat(organization_id, '/', user_id), (select max(s.access_expires_at) from sessions s
        where s.user_id = affected.user_id and s.organization_id = affected.organization_id and s.revoked_at is null)
      from affected join sizes using (organization_id) where members <= ${LIMITS.refreshes.members}::int
        and (select count(*) from sizes) <= ${LIMITS.refreshes.organizations}::int
    ),
    inserted as (
      insert into refreshes (key, expires_at)
      select rtrim(translate(encode(sha256(convert_to(subject, 'UTF8')), 'base64'), '+/', '-_'), '='),
        greatest(expires_at, ${expires_at}::timestamptz)
      from subjects
    )
    select subject from subjects`.execute(tx);
  return rows.map(({ subject }) => subject);
}

/**
 * Gives every committed entry its `before`: a time by the clock of the database that is after the commit, because this
 * statement sees the entry. Every statement that has read the roles before the commit has an earlier `perms_at`.
 * An entry lasts at least as long as published ones with the same key, which it replaces: their `before` is earlier,
 * because this statement sees them.
 */
export const publishRefreshes = (db: Db, expires_at: Date) =>
  sql`with published as (
      update refreshes r set before = floor(extract(epoch from clock_timestamp()) * 1000)::bigint + 1,
        expires_at = greatest(${expires_at}::timestamptz, (select max(same.expires_at) from refreshes same where same.key = r.key)),
        xid = pg_current_xact_id()
      where r.before is null and r.id = any (array(select id from refreshes where before is null order by id for update))
      returning r.key
    )
    delete from refreshes where id = any (array(
      select old.id from refreshes old join published using (key) where old.before is not null for update of old skip locked
    ))`.execute(db);

export const deleteExpiredRefreshes = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'refreshes', where: sql`expires_at < ${now}`, oldest: sql`expires_at`, limit });

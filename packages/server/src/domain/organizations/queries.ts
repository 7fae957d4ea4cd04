import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { containing } from '../../platform/db/like.ts';

export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly created_at: Date;
  readonly suspended_at: Date | null;
}

interface Page {
  /** Empty: all organizations. */
  readonly q: string;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Newest first, which is the order of ids. The ids of a page come from an index-only scan, however far down it is. The
 * search runs once, for both the page and the total.
 */
export async function listOrganizations(
  db: Db,
  { q, offset, limit }: Page,
): Promise<{ rows: OrganizationRecord[]; total: number }> {
  const matches = sql`select id from organizations
    where name ilike ${containing(q)} or slug like ${containing(q.toLowerCase())}`;
  const source = sql.table(q === '' ? 'organizations' : 'matches');
  const { rows } = await sql<{ total: number } & (OrganizationRecord | { id: null })>`
    with matches as materialized (${matches}),
    found as materialized (
      select count(*) as total, array(select id from ${source} order by id desc offset ${offset} limit ${limit}) as ids
      from ${source}
    )
    select found.total, o.* from found left join organizations o on o.id = any (found.ids) order by o.id desc`.execute(
    db,
  );
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]!.total };
}

const COLUMNS = ['id', 'name', 'slug', 'created_at', 'suspended_at'] as const;

export const findOrganization = (db: Db, id: string) =>
  db.selectFrom('organizations').select(COLUMNS).where('id', '=', id).executeTakeFirst();

/** Locks the row until the transaction ends; a concurrent sign-in to the organization locks it too. */
export const findOrganizationForUpdate = (tx: Tx, id: string) =>
  tx.selectFrom('organizations').select(COLUMNS).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** A slug that another organization has violates `organizations_slug_key`. */
export const updateOrganization = (tx: Tx, { id, name, slug, suspended_at }: OrganizationRecord) =>
  tx.updateTable('organizations').set({ name, slug, suspended_at }).where('id', '=', id).execute();

/** Returns those that were not suspended before. Locks them in the order of their ids (avoids deadlocks). */
export async function suspendOrganizations(tx: Tx, ids: readonly string[], now: Date): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    update organizations set suspended_at = ${now}::timestamptz
    where id = any (array(
      select id from organizations where id = any (${ids}::uuid[]) and suspended_at is null
      order by id for no key update
    ))
    returning id`.execute(tx);
  return rows;
}

/** A taken slug violates `organizations_slug_key`. */
export const insertOrganization = (tx: Tx, row: { id: string; name: string; slug: string; created_at: Date }) =>
  tx.insertInto('organizations').values(row).execute();

export interface NewTenant {
  readonly now: Date;
  readonly organization: { readonly id: string; readonly name: string; readonly slug: string };
  readonly owner: {
    readonly id: string;
    readonly email: string;
    readonly email_verified_at: Date | null;
    readonly display_name: string | null;
    readonly locale: string | null;
    readonly password_hash: string | null;
  };
}

/** Inserts an organization with its first owner. A taken email or slug violates a constraint. */
export const insertTenant = (tx: Tx, { now, organization, owner }: NewTenant) =>
  sql`
  with new_user as (
    insert into users (id, email, email_verified_at, display_name, locale, status, created_at, updated_at, password_hash,
      last_password_change_at, last_organization_id)
    values (${owner.id}::uuid, ${owner.email}, ${owner.email_verified_at}::timestamptz, ${owner.display_name}::text,
      ${owner.locale}::text, 'active', ${now}::timestamptz, ${now}::timestamptz, ${owner.password_hash}::text,
      case when ${owner.password_hash}::text is null then null else ${now}::timestamptz end, ${organization.id}::uuid)
    returning id
  ), tenant as (
    insert into organizations (id, name, slug, created_at)
    select ${organization.id}::uuid, ${organization.name}::text, ${organization.slug}::text, ${now}::timestamptz from new_user
    returning id
  )
  insert into memberships (organization_id, user_id, role, joined_at)
  select tenant.id, new_user.id, 'owner', ${now}::timestamptz from tenant, new_user`.execute(tx);

import type { OrganizationQuery } from '@gatehouse/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { pageLimit } from '../../platform/db/deep-page.ts';
import { containing } from '../../platform/db/like.ts';

interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly created_at: Date;
  readonly suspended_at: Date | null;
}

export interface CountedOrganization extends OrganizationRecord {
  readonly member_count: number;
}

export type OrganizationSort = NonNullable<OrganizationQuery['sort']>;

/** Each order has an index, which is read backwards for the descending one. */
const ORDER: Readonly<Record<OrganizationSort, string>> = {
  created_at: 'created_at, id',
  '-created_at': 'created_at desc, id desc',
  name: 'lower(name), id',
  '-name': 'lower(name) desc, id desc',
};

interface Page {
  /** Empty: all organizations. */
  readonly q: string;
  /** Unset: newest first, which is the order of ids. */
  readonly sort: OrganizationSort | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The number of members of the organization `o`, found by an index-only scan. */
const memberCount = sql<number>`(
  select count(*) from memberships m where m.organization_id = o.id and m.revoked_at is null)`;

/** An index-only scan finds the ids of a page, however far down; the search runs once, for page and total. */
export async function listOrganizations(
  db: Db,
  { q, sort, offset, limit }: Page,
): Promise<{ rows: CountedOrganization[]; total: number }> {
  const matches = sql`select id, name, created_at from organizations
    where name ilike ${containing(q)} or slug like ${containing(q.toLowerCase())}`;
  const source = sql.table(q === '' ? 'organizations' : 'matches');
  const order = sql.raw(sort === undefined ? 'id desc' : ORDER[sort]);
  const { rows } = await sql<{ total: number } & (CountedOrganization | { id: null })>`
    with matches as materialized (${matches}),
    found as materialized (
      select count(*) as total, array(select id from ${source} order by ${order} offset ${offset} limit ${pageLimit({ offset, limit }, sql`select count(*) from ${source}`)}) as ids
      from ${source}
    )
    select found.total, o.id, o.name, o.slug, o.created_at, o.suspended_at, ${memberCount} as member_count
    from found left join lateral unnest(found.ids) with ordinality as page (id, place) on true
      left join organizations o on o.id = page.id
    order by place`.execute(db);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]!.total };
}

const COLUMNS = ['id', 'name', 'slug', 'created_at', 'suspended_at'] as const;

export const findOrganization = (db: Db, id: string): Promise<CountedOrganization | undefined> =>
  db
    .selectFrom('organizations as o')
    .select([...COLUMNS, memberCount.as('member_count')])
    .where('id', '=', id)
    .executeTakeFirst();

/** Finds an organization by its id or slug. The id goes first: a slug may look like the id of another organization. */
export const findOrganizationNamed = (db: Db, named: string) =>
  db
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where((where) => where.or([where(sql`id::text`, '=', named), where('slug', '=', named)]))
    .orderBy(sql`id::text = ${named}::text`, 'desc')
    .limit(1)
    .executeTakeFirst();

/** Locks the row until the transaction ends; a concurrent sign-in to the organization locks it too. */
export const findOrganizationForUpdate = (tx: Tx, id: string): Promise<CountedOrganization | undefined> =>
  tx
    .selectFrom('organizations as o')
    .select([...COLUMNS, memberCount.as('member_count')])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Locks these rows until the transaction ends, in the order of their ids. */
export const lockOrganizations = (tx: Tx, ids: readonly string[]) =>
  tx
    .selectFrom('organizations')
    .select('id')
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

/** Violates `organizations_slug_key` if another organization has the slug. */
export const updateOrganization = (tx: Tx, { id, name, slug, suspended_at }: OrganizationRecord) =>
  tx.updateTable('organizations').set({ name, slug, suspended_at }).where('id', '=', id).execute();

/** Returns the policy of the organization; undefined if it is suspended. Locks the row in share mode. */
export const shareOrganization = (tx: Tx, organization_id: string) =>
  tx
    .selectFrom('organizations')
    .select(['id', 'policy'])
    .where('id', '=', organization_id)
    .where('suspended_at', 'is', null)
    .forShare()
    .executeTakeFirst();

/** Returns the organizations that were not suspended before. Locks them in the order of ids (avoids deadlocks). */
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

/** Violates `organizations_slug_key` if the slug is taken. */
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

/** Inserts an organization with its first owner. Violates a constraint if the email or the slug is taken. */
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

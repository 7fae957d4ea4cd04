import { normalizeEmail, type UserQuery } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import { type UserRecord, userRecords } from '../../domain/users/queries.ts';
import type { Db } from '../../platform/db/connect.ts';
import { pageLimit } from '../../platform/db/deep-page.ts';
import { containing } from '../../platform/db/like.ts';
import type { Users } from '../../platform/db/schema.ts';

export type UserSort = NonNullable<UserQuery['sort']>;

/** Each `order by` clause, by columns of `users`, has an index; see `sortedIds` for the last sign-in. */
const ORDER: Readonly<Record<UserSort, string>> = {
  created_at: 'created_at, id',
  '-created_at': 'created_at desc, id desc',
  email: 'email, id',
  '-email': 'email desc, id desc',
  last_login_at: 'last_login_at, id',
  '-last_login_at': 'last_login_at desc nulls last, id desc',
};

interface Search {
  /** Blank matches every user. */
  readonly q: string;
  readonly organization_id: string | undefined;
  readonly status: Users['status'] | undefined;
  /** Unset: newest first, which is the order of ids. */
  readonly sort: UserSort | undefined;
  readonly offset: number;
  readonly limit: number;
}

type Found = { total: number } & (UserRecord | { id: null });

/** The ids of the page are found first, so that a late page costs little more than the first. */
export async function listUsers(db: Db, search: Search): Promise<{ rows: UserRecord[]; total: number }> {
  const { matches, ids, total } = selection(search);
  const sorted = search.sort === undefined ? sql`${ids} order by id desc` : sortedIds(search, ids);
  const page = sql<string>`${sorted} offset ${search.offset} limit ${pageLimit(search, total)}`;
  const records = userRecords(db).where(sql<boolean>`u.id = any (array(${page}))`);
  const order = sql.raw(search.sort === undefined ? 'r.id desc' : qualified(ORDER[search.sort]));
  const { rows } = await sql<Found>`
    ${matches} select t.total, r.* from (${total}) as t left join ${records} as r on true order by ${order}`.execute(
    db,
  );
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]!.total };
}

const qualified = (order: string): string => order.replaceAll(/\b(created_at|email|last_login_at|id)\b/g, 'r.$1');

/** The last sign-in is sorted by the copy in `user_logins`, which has the indexes. */
function sortedIds({ q, organization_id, status, sort }: Search, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const order = ORDER[sort!];
  const isAll = q === '' && organization_id === undefined;
  if (!isAll) return sql`select id from users where id in (${ids}) order by ${sql.raw(order)}`;
  if (!order.startsWith('last_login_at')) return sql`${ids} order by ${sql.raw(order)}`;
  const inState =
    status === undefined
      ? sql`true`
      : sql`exists (select from users where id = user_id and status = ${sql.lit(status)})`;
  return sql`select user_id as id from user_logins where ${inState} order by ${sql.raw(order.replaceAll(/\bid\b/g, 'user_id'))}`;
}

function selection({ q, organization_id, status }: Search) {
  const members = sql`memberships where organization_id = ${organization_id ?? null}::uuid and revoked_at is null`;
  // A literal, not a parameter: only then can the planner use the partial index of users who are not active.
  const inState = status === undefined ? sql`true` : sql`status = ${sql.lit(status)}`;
  const nothing = sql``;
  if (q === '' && organization_id === undefined) {
    // The trigger `count_users` maintains the total.
    const total = sql`select coalesce(sum(delta), 0)::bigint as total from user_counts where ${inState}`;
    return { matches: nothing, ids: sql`select id from users where ${inState}`, total };
  }
  if (q === '' && status === undefined) {
    const ids = sql`select user_id as id from ${members}`;
    return { matches: nothing, ids, total: sql`select count(*) as total from ${members}` };
  }
  const inOrganization = organization_id === undefined ? sql`true` : sql`id in (select user_id from ${members})`;
  const found = sql`select id from users where ${matchesText(q)} and ${inState} and ${inOrganization}`;
  return {
    // Evaluated once, for the page and the total.
    matches: sql`with matches as materialized (${found})`,
    ids: sql`select id from matches`,
    total: sql`select count(*) as total from matches`,
  };
}

/** Emails are stored normalized, so the search term is normalized too. */
const matchesText = (q: string): RawBuilder<unknown> =>
  q === '' ? sql`true` : sql`(email like ${containing(normalizeEmail(q))} or display_name ilike ${containing(q)})`;

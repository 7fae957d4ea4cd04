import { normalizeEmail } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import { type UserRecord, userRecords } from '../../domain/users/queries.ts';
import type { Db } from '../../platform/db/connect.ts';
import { containing } from '../../platform/db/like.ts';
import type { Users } from '../../platform/db/schema.ts';

interface Search {
  /** Blank matches every user. */
  readonly q: string;
  readonly organization_id: string | undefined;
  readonly status: Users['status'] | undefined;
  readonly offset: number;
  readonly limit: number;
}

type Found = { total: number } & (UserRecord | { id: null });

/**
 * Newest first, by id. The ids of the page are found first (without a search, from an index alone), so that a late page
 * costs little more than the first.
 */
export async function listUsers(db: Db, search: Search): Promise<{ rows: UserRecord[]; total: number }> {
  const { matches, ids, total } = selection(search);
  const page = sql<string>`${ids} order by id desc offset ${search.offset} limit ${search.limit}`;
  const records = userRecords(db).where(sql<boolean>`u.id = any (array(${page}))`);
  const { rows } = await sql<Found>`
    ${matches} select t.total, r.* from (${total}) as t left join ${records} as r on true order by r.id desc`.execute(
    db,
  );
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]!.total };
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

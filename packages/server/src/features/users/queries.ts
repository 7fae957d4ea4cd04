import { normalizeEmail } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import { type UserRecord, userRecords } from '../../domain/users/queries.ts';
import type { Db } from '../../platform/db/connect.ts';
import { containing } from '../../platform/db/like.ts';
import type { Users } from '../../platform/db/schema.ts';

interface Search {
  /** Blank: whatever their name. */
  readonly q: string;
  readonly organization_id: string | undefined;
  readonly status: Users['status'] | undefined;
  readonly offset: number;
  readonly limit: number;
}

type Found = { total: number } & (UserRecord | { id: null });

/**
 * Newest first, which is by id. The ids of the page are found first, in an index alone where nothing is searched for: so a
 * page far down costs little more than the first.
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
  // In the text, not beside it: only so the planner knows that the index of those who are not active holds every row asked for.
  const inState = status === undefined ? sql`true` : sql`status = ${sql.lit(status)}`;
  const nothing = sql``;
  if (q === '' && organization_id === undefined) {
    // How many there are is known: see `count_users`.
    const total = sql`select coalesce(sum(delta), 0)::bigint as total from user_counts where ${inState}`;
    return { matches: nothing, ids: sql`select id from users where ${inState}`, total };
  }
  if (q === '' && status === undefined) {
    const ids = sql`select user_id as id from ${members}`;
    return { matches: nothing, ids, total: sql`select count(*) as total from ${members}` };
  }
  const inOrganization = organization_id === undefined ? sql`true` : sql`id in (select user_id from ${members})`;
  const found = sql`select id from users where ${named(q)} and ${inState} and ${inOrganization}`;
  return {
    // Looked up once, for the page and for the number of all.
    matches: sql`with matches as materialized (${found})`,
    ids: sql`select id from matches`,
    total: sql`select count(*) as total from matches`,
  };
}

/** Emails are stored in one form, so what is searched for in them is brought to it. */
const named = (q: string): RawBuilder<unknown> =>
  q === '' ? sql`true` : sql`(email like ${containing(normalizeEmail(q))} or display_name ilike ${containing(q)})`;

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
  /** Blank: all of them. */
  readonly q: string;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Newest first, which is by id. The ids of the page are found in an index alone, however far down it is; what is searched for
 * is looked up once, for the page and for the number of all.
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

/** Held until the transaction ends: a sign-in to it that is about to be written holds it too. */
export const findOrganizationForUpdate = (tx: Tx, id: string) =>
  tx.selectFrom('organizations').select(COLUMNS).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const updateOrganization = (tx: Tx, { id, name, suspended_at }: OrganizationRecord) =>
  tx.updateTable('organizations').set({ name, suspended_at }).where('id', '=', id).execute();

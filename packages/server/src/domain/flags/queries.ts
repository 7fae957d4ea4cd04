import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';

const COLUMNS = ['flag_key', 'organization_id', 'enabled', 'value'] as const;

type FlagRow = Awaited<ReturnType<typeof listFlags>>[number];

interface FlagId {
  readonly flag_key: string;
  /** Null: the default for every organization. */
  readonly organization_id: string | null;
}

/** The defaults and, if an organization is given, its overrides; ordered by key, each default before its override. */
export const listFlags = (db: Db, { organization_id }: { organization_id: string | null }) =>
  db
    .selectFrom('feature_flags')
    .select(COLUMNS)
    .where((where) => where.or([where('organization_id', 'is', null), where('organization_id', '=', organization_id)]))
    // Byte order does not depend on the locale of the database.
    .orderBy(sql`flag_key collate "C"`)
    .orderBy('organization_id', (order) => order.asc().nullsFirst())
    .execute();

interface NewFlag extends FlagId {
  readonly enabled: boolean;
  /** The value as JSON text. */
  readonly value: string | null;
  readonly now: Date;
}

/** Returns the changed row, or undefined if it already has this value. Locks the row until the commit in both cases. */
export const upsertFlag = (tx: Tx, { now, ...row }: NewFlag): Promise<FlagRow | undefined> =>
  tx
    .insertInto('feature_flags')
    .values({ ...row, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['flag_key', 'organization_id'])
        .doUpdateSet({ enabled: row.enabled, value: row.value, updated_at: now })
        .where(
          sql<boolean>`(feature_flags.enabled, feature_flags.value) is distinct from (excluded.enabled, excluded.value)`,
        ),
    )
    .returning(COLUMNS)
    .executeTakeFirst();

export const findFlag = (tx: Tx, { flag_key, organization_id }: FlagId): Promise<FlagRow> =>
  tx
    .selectFrom('feature_flags')
    .select(COLUMNS)
    .where('flag_key', '=', flag_key)
    .where('organization_id', 'is not distinct from', organization_id)
    .executeTakeFirstOrThrow();

export const deleteFlag = (tx: Tx, { flag_key, organization_id }: FlagId): Promise<FlagRow | undefined> =>
  tx
    .deleteFrom('feature_flags')
    .where('flag_key', '=', flag_key)
    .where('organization_id', 'is not distinct from', organization_id)
    .returning(COLUMNS)
    .executeTakeFirst();

export const listFlagStates = (db: Db, { organization_id }: { organization_id: string | null }) =>
  db
    .selectFrom('feature_flags')
    .select(['flag_key', 'enabled', 'value'])
    .where('organization_id', organization_id === null ? 'is' : '=', organization_id)
    .execute();

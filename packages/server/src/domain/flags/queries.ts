import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';

const COLUMNS = ['flag_key', 'organization_id', 'enabled', 'value'] as const;

type FlagRow = Awaited<ReturnType<typeof listFlags>>[number];

interface FlagId {
  readonly flag_key: string;
  /** Null: the default for every organization. */
  readonly organization_id: string | null;
}

/** The defaults and, where one is named, what that organization has of its own; key by key, the default first. */
export const listFlags = (db: Db, { organization_id }: { organization_id: string | null }) =>
  db
    .selectFrom('feature_flags')
    .select(COLUMNS)
    .where((where) => where.or([where('organization_id', 'is', null), where('organization_id', '=', organization_id)]))
    // By bytes: the order does not depend on where the database was made.
    .orderBy(sql`flag_key collate "C"`)
    .orderBy('organization_id', (order) => order.asc().nullsFirst())
    .execute();

interface NewFlag extends FlagId {
  readonly enabled: boolean;
  /** JSON. */
  readonly value: string | null;
  readonly now: Date;
}

/** The row as it is now. Undefined: it was so already; then it is locked and stays so until the transaction ends. */
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

/** Undefined: there was none. */
export const deleteFlag = (tx: Tx, { flag_key, organization_id }: FlagId): Promise<FlagRow | undefined> =>
  tx
    .deleteFrom('feature_flags')
    .where('flag_key', '=', flag_key)
    .where('organization_id', 'is not distinct from', organization_id)
    .returning(COLUMNS)
    .executeTakeFirst();

/** What one organization has of its own; with null, the defaults for all of them. */
export const listFlagStates = (db: Db, { organization_id }: { organization_id: string | null }) =>
  db
    .selectFrom('feature_flags')
    .select(['flag_key', 'enabled', 'value'])
    .where('organization_id', organization_id === null ? 'is' : '=', organization_id)
    .execute();

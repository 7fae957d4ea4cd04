import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';

/** Keys of access tokens of this service, and keys of the tokens of applications: tables with the same columns. */
export type KeyTable = 'signing_keys' | 'application_keys';

/** The compiler cannot type a query on one of two tables. */
const named = (table: KeyTable) => table as 'signing_keys';

export const insertSigningKey = (tx: Tx, table: KeyTable, row: Insertable<Schema['signing_keys']>) =>
  tx.insertInto(named(table)).values(row).execute();

export const listSigningKeys = (db: Db, table: KeyTable = 'signing_keys') =>
  db
    .selectFrom(named(table))
    .select([
      'kid',
      'public_jwk',
      'sealed_private_key',
      'created_at',
      'signs_from',
      'published_until',
      'replaces_sealed',
    ])
    .$if(table === 'signing_keys', (rows) => rows.select(['restricted_jwk', 'sealed_restricted_key']))
    .orderBy('signs_from')
    .execute();

export type KeyRow = Awaited<ReturnType<typeof listSigningKeys>>[number];

interface RestrictedKey {
  readonly restricted_jwk: string;
  readonly sealed_restricted_key: string;
}

/** Stores the restricted key unless there is one. Only one of several concurrent calls returns true. */
export async function insertRestrictedKey(tx: Tx, kid: string, key: RestrictedKey): Promise<boolean> {
  const row = await tx
    .updateTable('signing_keys')
    .set({ ...key })
    .where('kid', '=', kid)
    .where('sealed_restricted_key', 'is', null)
    .returning('kid')
    .executeTakeFirst();
  return row !== undefined;
}

/** A key that already has an end date keeps it. */
export const updateSigningKeyEnd = (tx: Tx, table: KeyTable, kid: string, published_until: Date) =>
  tx
    .updateTable(named(table))
    .set({ published_until })
    .where('kid', '=', kid)
    .where('published_until', 'is', null)
    .execute();

/** Stops publishing keys whose secret is lost. Their sealed values stay until they are swept. */
export const retireSigningKeys = (tx: Tx, table: KeyTable, kids: readonly string[], now: Date) =>
  tx
    .updateTable(named(table))
    .set({ published_until: now })
    .where('kid', 'in', kids)
    .where((eb) => eb.or([eb('published_until', 'is', null), eb('published_until', '>', now)]))
    .returning('kid')
    .execute();

/** The clock of the database, which all replicas share. */
const SEEN_NOW = sql<Date>`clock_timestamp()`;

/** Records that this process serves the database and signs with this key. */
export const upsertReplica = (db: Db, replica: { readonly id: string; readonly kid: string }) =>
  db
    .insertInto('replicas')
    .values({ ...replica, seen_at: SEEN_NOW })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ kid: replica.kid, seen_at: SEEN_NOW }))
    .execute();

export const deleteReplica = (db: Db, id: string) => db.deleteFrom('replicas').where('id', '=', id).execute();

export const deleteLostReplicas = (tx: Tx) =>
  sql`delete from replicas where seen_at < clock_timestamp() - interval '1 day'`.execute(tx);

/** The keys of the processes that were seen in the last `seconds`. */
export async function listKeysInUse(tx: Tx, seconds: number): Promise<string[]> {
  const { rows } = await sql<{ kid: string }>`select distinct kid from replicas
    where seen_at > clock_timestamp() - make_interval(secs => ${seconds}::int)`.execute(tx);
  return rows.map(({ kid }) => kid);
}

/** The current keys no longer replace others. */
export const updateKeysReset = (tx: Tx, table: KeyTable) =>
  tx.updateTable(named(table)).set({ replaces_sealed: false }).where('replaces_sealed', '=', true).execute();

export const deleteDeadSigningKeys = (db: Db, table: KeyTable, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table, where: sql`published_until < ${now}`, oldest: sql`published_until`, limit });

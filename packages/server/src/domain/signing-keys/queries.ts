import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';

export const insertSigningKey = (tx: Tx, row: Insertable<Schema['signing_keys']>) =>
  tx.insertInto('signing_keys').values(row).execute();

export const listSigningKeys = (db: Db) =>
  db
    .selectFrom('signing_keys')
    .select(['kid', 'public_jwk', 'sealed_private_key', 'restricted_jwk', 'sealed_restricted_key'])
    .select(['created_at', 'signs_from', 'published_until'])
    .orderBy('signs_from')
    .execute();

interface RestrictedKey {
  readonly restricted_jwk: string;
  readonly sealed_restricted_key: string;
}

/** Of concurrent calls, one returns true. */
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

/** A key that already has an end keeps it. */
export const updateSigningKeyEnd = (tx: Tx, kid: string, published_until: Date) =>
  tx
    .updateTable('signing_keys')
    .set({ published_until })
    .where('kid', '=', kid)
    .where('published_until', 'is', null)
    .execute();

/** Stops publishing keys whose secret is lost. Their sealed values stay until they are swept. */
export const retireSigningKeys = (tx: Tx, kids: readonly string[], now: Date) =>
  tx
    .updateTable('signing_keys')
    .set({ published_until: now })
    .where('kid', 'in', kids)
    .where((eb) => eb.or([eb('published_until', 'is', null), eb('published_until', '>', now)]))
    .returning('kid')
    .execute();

type SealedColumn = 'sealed_private_key' | 'sealed_restricted_key';

export const updateSealedKey = (
  tx: Tx,
  { kid, column, from, to }: { kid: string; column: SealedColumn; from: string; to: string },
) =>
  tx
    .updateTable('signing_keys')
    .set({ [column]: to })
    .where('kid', '=', kid)
    .where(column, '=', from)
    .execute();

export const deleteDeadSigningKeys = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'signing_keys', where: sql`published_until < ${now}`, oldest: sql`published_until`, limit });

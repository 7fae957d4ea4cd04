import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';

export const insertSigningKey = (tx: Tx, row: Insertable<Schema['signing_keys']>) =>
  tx.insertInto('signing_keys').values(row).execute();

export const listSigningKeys = (db: Db) =>
  db
    .selectFrom('signing_keys')
    .select(['kid', 'public_jwk', 'sealed_private_key', 'created_at', 'signs_from', 'published_until'])
    .orderBy('signs_from')
    .execute();

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

export const updateSealedKey = (tx: Tx, kid: string, from: string, to: string) =>
  tx
    .updateTable('signing_keys')
    .set({ sealed_private_key: to })
    .where('kid', '=', kid)
    .where('sealed_private_key', '=', from)
    .execute();

export const deleteDeadSigningKeys = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'signing_keys', where: sql`published_until < ${now}`, oldest: sql`published_until`, limit });

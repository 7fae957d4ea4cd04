import { type Insertable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Interactions } from '../../platform/db/schema.ts';

export const insertInteraction = (db: Db, row: Insertable<Interactions>) =>
  db.insertInto('interactions').values(row).execute();

/** Finds an interaction that has not expired and began in this browser, whether it was decided or not. */
export const findInteraction = (db: Db, { id, browser_hash, now }: { id: string; browser_hash: Buffer; now: Date }) =>
  db
    .selectFrom('interactions as i')
    .innerJoin('applications as a', 'a.id', 'i.application_id')
    .select(['i.id', 'i.kind', 'i.user_id', 'i.request', 'i.requested_from', 'i.requested_at', 'i.expires_at'])
    .select(['i.decided_at', 'a.client_id', 'a.name'])
    .where('i.id', '=', id)
    .where('i.browser_hash', '=', browser_hash)
    .where('i.expires_at', '>', now)
    .executeTakeFirst();

/** Returns false if a concurrent request has decided the interaction. */
export async function claimInteraction(tx: Tx, id: string, now: Date): Promise<boolean> {
  const row = await tx
    .updateTable('interactions')
    .set({ decided_at: now })
    .where('id', '=', id)
    .where('decided_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export const deleteExpiredInteractions = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'interactions', where: sql`expires_at < ${now}`, oldest: sql`expires_at`, limit });

import type { Insertable } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { Schema } from '../../platform/db/schema.ts';

export const findAvatarImage = async (db: Db, id: string): Promise<Buffer | undefined> =>
  (await db.selectFrom('avatars').select('image').where('id', '=', id).executeTakeFirst())?.image;

/** Locks the user's row, so that concurrent uploads are applied in order. Returns false if the user does not exist. */
export async function updateAvatarId(
  tx: Tx,
  { user_id, avatar_id, now }: { user_id: string; avatar_id: string; now: Date },
): Promise<boolean> {
  const updated = await tx
    .updateTable('users')
    .set({ avatar_id, updated_at: now })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .returning('id')
    .executeTakeFirst();
  return updated !== undefined;
}

/** Does nothing if the row exists: identical images have the same id. */
export const insertAvatar = (tx: Tx, row: Insertable<Schema['avatars']>) =>
  tx
    .insertInto('avatars')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();

export const deleteOtherAvatars = (tx: Tx, { user_id, keep }: { user_id: string; keep: string }) =>
  tx.deleteFrom('avatars').where('user_id', '=', user_id).where('id', '!=', keep).execute();

export async function clearAvatarId(tx: Tx, user_id: string, now: Date): Promise<boolean> {
  const cleared = await tx
    .updateTable('users')
    .set({ avatar_id: null, updated_at: now })
    .where('id', '=', user_id)
    .where('avatar_id', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return cleared !== undefined;
}

export const deleteAvatars = (tx: Tx, user_id: string) =>
  tx.deleteFrom('avatars').where('user_id', '=', user_id).execute();

import type { Tx } from '../../platform/db/connect.ts';

export const deleteAvatars = (tx: Tx, user_id: string) =>
  tx.deleteFrom('avatars').where('user_id', '=', user_id).execute();

import type { Db, Tx } from '../../platform/db/connect.ts';

export const findCredentials = (db: Db, user_id: string) =>
  db
    .selectFrom('users')
    .select(['password_hash', 'mfa_enabled_at', 'locale'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .executeTakeFirst();

export const deletePassword = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('users')
    .set({ password_hash: null, updated_at: now })
    .where('id', '=', user_id)
    .where('password_hash', 'is not', null)
    .execute();

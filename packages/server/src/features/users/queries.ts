import type { Tx } from '../../platform/db/connect.ts';

/** The row is held, so that of two changes at once the second sees what the first has made of it. */
export const findProfileForUpdate = (tx: Tx, user_id: string) =>
  tx
    .selectFrom('users')
    .select(['display_name', 'locale'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .forUpdate()
    .executeTakeFirst();

export interface ProfileUpdate {
  readonly user_id: string;
  readonly display_name: string | null;
  readonly locale: string | null;
  readonly now: Date;
}

export const updateProfile = (tx: Tx, { user_id, display_name, locale, now }: ProfileUpdate) =>
  tx.updateTable('users').set({ display_name, locale, updated_at: now }).where('id', '=', user_id).execute();

export interface PasswordUpdate {
  readonly user_id: string;
  /** The one that the right to change it rests on; null where there was none. */
  readonly checked_hash: string | null;
  readonly new_hash: string;
  readonly now: Date;
}

/** Undefined: somebody else has changed the password since, or the account is no longer active. */
export const updatePassword = (tx: Tx, { user_id, checked_hash, new_hash, now }: PasswordUpdate) =>
  tx
    .updateTable('users')
    .set({ password_hash: new_hash, last_password_change_at: now, updated_at: now })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('password_hash', 'is not distinct from', checked_hash)
    .returning(['email', 'locale'])
    .executeTakeFirst();

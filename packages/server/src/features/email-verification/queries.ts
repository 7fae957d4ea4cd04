import type { Db, Tx } from '../../platform/db/connect.ts';

export const findUnverifiedUser = (db: Db, user_id: string) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'locale'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('email_verified_at', 'is', null)
    .executeTakeFirst();

/** Holds the user's row while the password that was just checked is still theirs. Undefined: it is not. */
export const findUserForEmailChange = (
  tx: Tx,
  { user_id, checked_hash }: { user_id: string; checked_hash: string | null },
) =>
  tx
    .selectFrom('users')
    .select(['id', 'email', 'locale'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('password_hash', 'is not distinct from', checked_hash)
    .forNoKeyUpdate()
    .executeTakeFirst();

interface ConfirmedAddress {
  readonly user_id: string;
  readonly email: string;
  readonly now: Date;
}

/** The new address takes effect, verified. One that another account has taken meanwhile hits `users_email_key`. */
export const updateEmail = (tx: Tx, { user_id, email, now }: ConfirmedAddress) =>
  tx
    .updateTable('users')
    .set({ email, email_verified_at: now, updated_at: now })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .returning(['id', 'email', 'email_verified_at', 'last_organization_id'])
    .executeTakeFirst();

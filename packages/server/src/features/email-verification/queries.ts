import { sql } from 'kysely';
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

export interface VerifiedUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date;
  readonly last_organization_id: string | null;
  readonly was_verified: boolean;
}

/** The address the link went to, while it is the account's. Undefined: it is another by now, or the account is not active. */
export async function updateEmailVerified(
  tx: Tx,
  { user_id, email, now }: ConfirmedAddress,
): Promise<VerifiedUser | undefined> {
  const { rows } = await sql<VerifiedUser>`
    with before as materialized (
      select id, email_verified_at from users
      where id = ${user_id}::uuid and status = 'active' and email = ${email}::text for no key update
    )
    update users u set
      email_verified_at = coalesce(before.email_verified_at, ${now}::timestamptz),
      updated_at = case when before.email_verified_at is null then ${now}::timestamptz else u.updated_at end
    from before where u.id = before.id
    returning u.id, u.email, u.email_verified_at, u.last_organization_id,
      before.email_verified_at is not null as was_verified`.execute(tx);
  return rows[0];
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

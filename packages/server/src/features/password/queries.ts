import { sql } from 'kysely';
import type { Tx } from '../../platform/db/connect.ts';

interface NewPassword {
  readonly user_id: string;
  /** The address the link went to; should the account have another by now, the link says nothing about it. */
  readonly email: string;
  readonly password_hash: string;
  readonly now: Date;
}

/** Who has read the link has the mailbox, so the address is verified with it. Undefined: not active, or another address. */
export const updateResetPassword = (tx: Tx, { user_id, email, password_hash, now }: NewPassword) =>
  tx
    .updateTable('users')
    .set({
      password_hash,
      last_password_change_at: now,
      email_verified_at: sql<Date>`coalesce(email_verified_at, ${now}::timestamptz)`,
      updated_at: now,
    })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('email', '=', email)
    .returning(['id', 'email', 'email_verified_at', 'locale', 'last_organization_id'])
    .executeTakeFirst();

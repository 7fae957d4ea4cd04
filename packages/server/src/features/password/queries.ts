import { sql } from 'kysely';
import type { Tx } from '../../platform/db/connect.ts';

interface NewPassword {
  readonly user_id: string;
  /** The address the link went to; should the account have another by now, the link says nothing about it. */
  readonly email: string;
  readonly password_hash: string;
  readonly now: Date;
}

interface ResetUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date;
  readonly locale: string | null;
  readonly last_organization_id: string | null;
  /** Until now somebody else may have been at home here. */
  readonly was_verified: boolean;
}

/** Who has read the link has the mailbox, so the address is verified with it. Undefined: not active, or another address. */
export async function updateResetPassword(
  tx: Tx,
  { user_id, email, password_hash, now }: NewPassword,
): Promise<ResetUser | undefined> {
  const { rows } = await sql<ResetUser>`
    with before as materialized (
      select id, email_verified_at from users
      where id = ${user_id}::uuid and status = 'active' and email = ${email}::text for no key update
    )
    update users u set
      password_hash = ${password_hash}::text,
      last_password_change_at = ${now}::timestamptz,
      email_verified_at = coalesce(before.email_verified_at, ${now}::timestamptz),
      updated_at = ${now}::timestamptz
    from before where u.id = before.id
    returning u.id, u.email, u.email_verified_at, u.locale, u.last_organization_id,
      before.email_verified_at is not null as was_verified`.execute(tx);
  return rows[0];
}

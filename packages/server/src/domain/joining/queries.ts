import { sql } from 'kysely';
import type { Tx } from '../../platform/db/connect.ts';

/**
 * Whether a former member had this address when the membership ended, even if the account was deleted or has another
 * address now. If `revoked_email` is null, the address of the account is compared.
 */
export async function wasMember(
  tx: Tx,
  { organization_id, email }: { organization_id: string; email: string },
): Promise<boolean> {
  const { rows } = await sql<{ was_member: boolean }>`
    select exists (
      select from memberships where organization_id = ${organization_id}::uuid and revoked_email = ${email}::text
        and revoked_at is not null
    ) or exists (
      select from users u join memberships m on m.user_id = u.id
      where u.email = ${email}::text and m.organization_id = ${organization_id}::uuid
        and m.revoked_at is not null and m.revoked_email is null
    ) as was_member`.execute(tx);
  return rows[0]!.was_member;
}

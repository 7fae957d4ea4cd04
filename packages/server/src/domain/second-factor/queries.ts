import type { Tx } from '../../platform/db/connect.ts';

/** Secret and codes are gone, a setup under way too. */
export async function deleteMfa(tx: Tx, user_id: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({ mfa_enabled_at: null, updated_at: now })
    .where('id', '=', user_id)
    .where('mfa_enabled_at', 'is not', null)
    .execute();
  await tx.deleteFrom('totp_secrets').where('user_id', '=', user_id).execute();
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute();
}

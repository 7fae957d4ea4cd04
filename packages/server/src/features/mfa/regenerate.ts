import type { PasswordConfirmation } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { confirmPassword } from '../../domain/authorization/confirm-password.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { replaceRecoveryCodes } from '../../domain/mfa/queries.ts';
import { newRecoveryCodes } from '../../domain/mfa/recovery-codes.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { transact } from '../../platform/db/transact.ts';
import { isOff } from './conflicts.ts';
import { requireOwner } from './owner.ts';

const action = 'mfa.recovery_codes.regenerated';

/** POST /auth/mfa/recovery-codes: the password → ten new codes; the old ones become invalid. */
export async function regenerate(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { password: given }: PasswordConfirmation,
): Promise<string[]> {
  const { user_id } = session;
  const checked_hash = await confirmPassword(deps, caller, session, { field: 'password', given, action, metadata: {} });
  const { codes, hashes } = newRecoveryCodes();
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const owner = await requireOwner(tx, session, { checked_hash, now });
    if (owner.mfa_enabled_at === null) throw isOff();
    await replaceRecoveryCodes(tx, { user_id, hashes, now });
    await recordAudit(tx, caller, { action, now, resource_type: 'user', resource_id: user_id, metadata: {} });
    await notifyWithinLimit(tx, deps, owner, { template: 'recovery_codes_replaced', params: {} });
  });
  return codes;
}

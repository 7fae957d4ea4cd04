import type { PasswordConfirmation } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { confirmPassword } from '../../domain/authorization/confirm-password.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { tooMany } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { clearMfa } from '../../domain/mfa/clear.ts';
import { lowerAssurance } from '../../domain/mfa/lower.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { isOver, updateCounters } from '../../platform/limiter/queries.ts';
import { requireOwner } from './owner.ts';

const action = 'mfa.disabled';

/** Each change makes tokens stale at all verifiers. Counted in the transaction, so that a failed one is not counted. */
async function countChange(tx: Tx, { limiter, config }: Deps, user_id: string, now: Date): Promise<void> {
  const counter = limiter.counter('second factor off', user_id, config.LIMIT_SECOND_FACTOR_CHANGES);
  const [count] = await updateCounters(tx, [counter], now);
  if (isOver([counter], count!)) throw tooMany(secondsUntil(count!.resets_at, now));
}

/** POST /auth/mfa/disable: also ends trusted browsers, lowers sessions and grants to `aal1`. 204 also if MFA is off. */
export async function disable(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { password: given }: PasswordConfirmation,
): Promise<void> {
  const { user_id } = session;
  const checked_hash = await confirmPassword(deps, caller, session, { field: 'password', given, action, metadata: {} });
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const owner = await requireOwner(tx, session, { checked_hash, now });
    await clearMfa(tx, user_id, now);
    if (owner.mfa_enabled_at === null) return;
    await countChange(tx, deps, user_id, now);
    await lowerAssurance(tx, deps, { user_id, except_passkey_session: session.session_id }, now);
    await recordAudit(tx, caller, { action, now, resource_type: 'user', resource_id: user_id, metadata: {} });
    await notifyWithinLimit(tx, deps, owner, { template: 'mfa_disabled', params: {} });
  });
}

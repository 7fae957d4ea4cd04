import { NIL_UUID } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { recordAudit } from '../audit/record.ts';
import type { Caller, Deps } from '../context.ts';
import { claimInitialOwner } from './initial-owner.ts';
import { updateEmailVerified } from './queries.ts';

/**
 * Somebody has shown what was mailed to the address of this account: it is verified, and told of once. False: the account is
 * not active, or has another address by now.
 */
export async function markEmailVerified(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { user_id, email, now }: { user_id: string; email: string; now: Date },
): Promise<boolean> {
  const user = await updateEmailVerified(tx, { user_id, email, now });
  if (!user) return false;
  // A password reset may have said it already.
  if (!user.was_verified) await tellOfEmail(tx, deps, caller, 'auth.email.verified', { ...user, now });
  await claimInitialOwner(tx, deps, user);
  return true;
}

interface Changed {
  readonly id: string;
  readonly last_organization_id: string | null;
  readonly now: Date;
}

export async function tellOfEmail(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  action: 'auth.email.verified' | 'auth.email.changed',
  { id, last_organization_id, now }: Changed,
): Promise<void> {
  await recordAudit(tx, caller, {
    action,
    now,
    resource_type: 'user',
    resource_id: id,
    actor_id: id,
    organization_id: last_organization_id ?? NIL_UUID,
    metadata: {},
  });
  // Sessions carry the address and whether it is verified.
  await deps.bus.announce(tx, now, [{ topic: 'user', key: id }]);
}

import { NIL_UUID } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { recordAudit } from '../audit/record.ts';
import { claimInitialOwner, isOwnerStrict } from '../authorization/initial-owner.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { updateEmailVerified } from '../users/queries.ts';
import { type Removal, reclaimAccount } from './remove-unproven.ts';

interface Verifying {
  readonly user_id: string;
  readonly email: string;
  readonly now: Date;
  /** Whether the request carries a session of this account. */
  readonly hasSession: boolean;
  /** Removes everything unproven, including all sessions but `except`. Left out: nothing is removed. */
  readonly disown?: Pick<Removal, 'except' | 'resetPolicies' | 'connection_id'> | undefined;
}

/**
 * The caller has proved access to the mailbox of this account: its email becomes verified, which is audited once. What
 * `disown` or the rule for the initial owner removes is removed only if the email was not verified before. Returns
 * false if the account is not active or has another address in the meantime.
 */
export async function markEmailVerified(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { user_id, email, now, hasSession, disown }: Verifying,
): Promise<boolean> {
  const user = await updateEmailVerified(tx, { user_id, email, now });
  if (!user) return false;
  const isInitialOwner = await claimInitialOwner(tx, deps, user);
  if (user.was_verified) return true;
  await notifyOfEmail(tx, deps, caller, 'auth.email.verified', { ...user, now });
  const mustBeClean = isInitialOwner && isOwnerStrict(deps.config) && !hasSession;
  if (disown || mustBeClean) {
    const organization_id = user.last_organization_id ?? NIL_UUID;
    await reclaimAccount(tx, deps, caller, {
      user_id,
      organization_id,
      now,
      ...(disown ?? { resetPolicies: true }),
    });
  }
  return true;
}

interface Changed {
  readonly id: string;
  readonly last_organization_id: string | null;
  readonly now: Date;
}

export async function notifyOfEmail(
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
  // Cached session states contain the address and whether it is verified.
  await deps.bus.announce(tx, now, [{ topic: 'user', key: id }]);
}

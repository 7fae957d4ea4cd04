import { NIL_UUID } from '@gatehouse/contract';
import type { Tx } from '../../platform/db/connect.ts';
import { lock } from '../../platform/db/lock.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import type { PlatformRole } from '../kernel/permissions.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { listOwnersToNotify, notify, notifyWithinLimit, type Recipient } from '../users/notify.ts';
import { countPlatformOwners, lockUser, noSuchUser, updatePlatformRole } from '../users/queries.ts';
import { requireAnotherPlatformOwner } from './last-platform-owner.ts';

/** Must be taken before a platform owner may be removed: concurrent changes must not remove the last two owners. */
export const lockPlatformOwners = (tx: Tx): Promise<void> => lock(tx, 'platform owners');

/**
 * docs/reference/accounts.md#platform-roles: throws for the last active platform owner, and for the last one who has an
 * organization to sign in to. Requires `lockPlatformOwners`.
 */
export async function requireAnotherOwner(
  tx: Tx,
  user: { id: string; platform_role: string | null; status: string },
): Promise<void> {
  if (user.platform_role !== 'owner' || user.status !== 'active') return;
  if ((await countPlatformOwners(tx)) === 1) {
    throw new ServiceError('conflict', 'this is the last platform owner; add another one first');
  }
  await requireAnotherPlatformOwner(tx, { user_id: user.id });
}

/** Returns false if the user already has this role. */
export async function changePlatformRole(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { user_id, role }: { user_id: string; role: PlatformRole | null },
): Promise<boolean> {
  const now = deps.clock.now();
  await lockPlatformOwners(tx);
  const user = await lockUser(tx, user_id);
  if (!user || user.status === 'deleted') throw noSuchUser();
  if (user.platform_role === role) return false;
  await requireAnotherOwner(tx, user);
  await updatePlatformRole(tx, { user_id, role, now });
  await recordAudit(tx, caller, {
    action: 'platform_role.changed',
    now,
    resource_type: 'user',
    resource_id: user_id,
    organization_id: user.last_organization_id ?? NIL_UUID,
    metadata: { from: user.platform_role, to: role },
  });
  await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
  if (role !== null) await notifyOfRole(tx, deps, user, role);
  return true;
}

/** docs/reference/operations.md#notices: notifies the user and every platform owner of a role that was granted. */
async function notifyOfRole(tx: Tx, deps: Deps, user: Recipient & { id: string }, role: PlatformRole): Promise<void> {
  await notifyWithinLimit(tx, deps, user, { template: 'platform_role_granted', params: { role } });
  const params = { account_email: user.email, role };
  for (const owner of await listOwnersToNotify(tx, deps, { about: `${user.id} ${role}`, except: user.id })) {
    await notify(tx, deps, owner, { template: 'platform_role_notice', params });
  }
}

import type { Tx } from '../../platform/db/connect.ts';
import type { Caller } from '../kernel/caller.ts';
import { type PlatformRole, reaches } from '../kernel/permissions.ts';
import { actorOf, type Principal } from '../kernel/principal.ts';
import { notSignedIn, ServiceError } from '../kernel/service-error.ts';
import { lockUsers, noSuchUser } from '../users/queries.ts';
import { requireLiveSession } from './live-session.ts';

type AdministeredUser = Awaited<ReturnType<typeof lockUsers>>[number];

interface AdminTarget {
  readonly user_id: string;
  /** The platform role that the caller needs. */
  readonly role: PlatformRole;
}

/**
 * docs/reference/accounts.md#platform-roles: no caller disables, deletes, resets or signs out a user with a higher
 * platform role. The cached session state may be seconds old, so the session and both users are read again here; the
 * users stay locked. Deleted users are returned too.
 */
export async function lockAdministeredUser(
  tx: Tx,
  principal: Principal,
  { user_id, role }: AdminTarget,
): Promise<AdministeredUser> {
  const { actor_id } = actorOf(principal);
  const locked = await lockUsers(tx, [actor_id, user_id]);
  await requireLiveSession(tx, principal);
  const caller = requireRole(
    locked.find(({ id }) => id === actor_id),
    role,
  );
  const user = locked.find(({ id }) => id === user_id);
  if (!user) throw noSuchUser();
  if (user.platform_role !== null && !reaches(caller.platform_role, user.platform_role)) {
    throw new ServiceError('forbidden', 'this user has a higher platform role than you');
  }
  return user;
}

/** Like `lockAdministeredUser`, for actions that do not apply to deleted users. */
export async function lockExistingUser(tx: Tx, principal: Principal, target: AdminTarget): Promise<AdministeredUser> {
  const user = await lockAdministeredUser(tx, principal, target);
  if (user.status === 'deleted') throw noSuchUser();
  return user;
}

/**
 * For actions without a target user: reads the caller again under lock, so that one who was just demoted or disabled,
 * perhaps by another replica, is rejected. Without a principal, the caller is the command line and is not checked.
 */
export async function requirePlatformRole(tx: Tx, { principal }: Caller, role: PlatformRole): Promise<void> {
  if (!principal) return;
  const [caller] = await lockUsers(tx, [actorOf(principal).actor_id]);
  await requireLiveSession(tx, principal);
  requireRole(caller, role);
}

function requireRole(caller: AdministeredUser | undefined, role: PlatformRole): AdministeredUser {
  if (caller?.status !== 'active') throw notSignedIn();
  if (!reaches(caller.platform_role, role))
    throw new ServiceError('forbidden', `this requires the platform role ${role}`);
  return caller;
}

import type { Tx } from '../../platform/db/connect.ts';
import type { Caller } from '../context.ts';
import { notSignedIn, ServiceError } from '../service-error.ts';
import { lockUsers } from '../users/queries.ts';
import { actorOf, type Principal } from './principal.ts';
import { type PlatformRole, reaches } from './roles.ts';

type AdministeredUser = Awaited<ReturnType<typeof lockUsers>>[number];

interface Asked {
  readonly user_id: string;
  /** What the caller must be. */
  readonly role: PlatformRole;
}

/**
 * The contract, section 3: nobody disables, deletes, resets or signs out a higher platform rank. What a session remembers of
 * its user may be seconds old, so both are looked at here, and held until the transaction ends. A deleted user is found too.
 */
export async function lockAdministeredUser(
  tx: Tx,
  principal: Principal,
  { user_id, role }: Asked,
): Promise<AdministeredUser> {
  const { actor_id } = actorOf(principal);
  const locked = await lockUsers(tx, [actor_id, user_id]);
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

/** The same for all that has no meaning for somebody who was deleted. */
export async function lockExistingUser(tx: Tx, principal: Principal, asked: Asked): Promise<AdministeredUser> {
  const user = await lockAdministeredUser(tx, principal, asked);
  if (user.status === 'deleted') throw noSuchUser();
  return user;
}

export const noSuchUser = () => new ServiceError('not_found', 'there is no such user');

/**
 * The same for what is about no user: whoever was demoted or disabled a moment ago, perhaps by another replica, changes
 * nothing more. A caller without a principal is the operator at the command line and is not checked.
 */
export async function requirePlatformRole(tx: Tx, { principal }: Caller, role: PlatformRole): Promise<void> {
  if (!principal) return;
  const [caller] = await lockUsers(tx, [actorOf(principal).actor_id]);
  requireRole(caller, role);
}

function requireRole(caller: AdministeredUser | undefined, role: PlatformRole): AdministeredUser {
  if (caller?.status !== 'active') throw notSignedIn();
  if (!reaches(caller.platform_role, role))
    throw new ServiceError('forbidden', `this requires the platform role ${role}`);
  return caller;
}

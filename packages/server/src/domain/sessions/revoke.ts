import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { endGrants } from '../oauth-server/grants/end.ts';
import { lockUser } from '../users/queries.ts';
import { type EndedSession, revokeSessions } from './queries.ts';

/** Ends one session; with `user_id`, only if it belongs to that user. Returns undefined if no session was ended. */
export async function revokeSession(
  tx: Tx,
  deps: Deps,
  which: { id: string; user_id?: string },
  now: Date,
): Promise<EndedSession | undefined> {
  const [ended] = await revokeSessions(tx, which, now);
  if (!ended) return undefined;
  await endGrants(tx, deps, { session_ids: [ended.id] }, now);
  await deps.bus.announce(tx, now, [{ topic: 'session', key: ended.id }]);
  return ended;
}

/**
 * Ends the sessions of an organization, or of one of its members, and all grants of applications for it. Before the
 * call, callers must end the membership or suspend the organization, and announce it. Returns the number of sessions.
 */
export async function revokeTenantSessions(
  tx: Tx,
  deps: Deps,
  which: { organization_id: string; user_id?: string },
  now: Date,
): Promise<number> {
  const ended = await revokeSessions(tx, which, now);
  await endGrants(tx, deps, which, now);
  if (ended.length > 0) await endGrants(tx, deps, { session_ids: ended.map(({ id }) => id) }, now);
  return ended.length;
}

interface UserSessions {
  readonly user_id: string;
  readonly except?: string | undefined;
  /**
   * `all`: also ends the grants of applications that outlive sessions (scope `offline_access`), even if no session was
   * active. `of sessions`: these stay.
   */
  readonly grants: 'all' | 'of sessions';
  readonly now: Date;
}

/**
 * Ends all sessions of a user, or all but one. Locks the user's row first, in a separate statement: a concurrent
 * sign-in or switch of organization locks it too, so it either commits first and is seen here, or it runs later. Before
 * the call, callers must write changes that a sign-in depends on (password, status), so that the later sign-in sees
 * them.
 */
export async function revokeUserSessions(
  tx: Tx,
  deps: Deps,
  { user_id, except, grants, now }: UserSessions,
): Promise<number> {
  await lockUser(tx, user_id);
  const ended = await revokeSessions(tx, { user_id, ...(except !== undefined && { except }) }, now);
  if (grants === 'all') await endGrants(tx, deps, { user_id }, now);
  else if (ended.length > 0) await endGrants(tx, deps, { session_ids: ended.map(({ id }) => id) }, now);
  await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
  return ended.length;
}

import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
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
  if (ended) await deps.bus.announce(tx, now, [{ topic: 'session', key: ended.id }]);
  return ended;
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
  { user_id, except, now }: { user_id: string; except?: string | undefined; now: Date },
): Promise<number> {
  await lockUser(tx, user_id);
  const ended = await revokeSessions(tx, { user_id, ...(except !== undefined && { except }) }, now);
  await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
  return ended.length;
}

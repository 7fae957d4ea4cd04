import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { lockUser } from '../users/queries.ts';
import { type EndedSession, revokeSessions } from './queries.ts';

/** Ends one family, of this user where one is named. Undefined when there was none in force. */
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
 * Ends every family of a user, or every other. The user's row is held first, by a statement of its own: a sign-in or a switch
 * of organization that is about to be written holds it too, so either it comes first and is seen here, or it comes later. Who
 * changes what a sign-in depends on (password, status) writes that change before this, so that the later one sees it.
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

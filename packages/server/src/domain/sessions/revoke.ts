import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
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
 * Ends every family of a user, or every other. Whoever changes what a sign-in depends on (password, status) must have
 * written the user's row in an earlier statement of the same transaction: a sign-in that is about to be written holds that
 * row, so either it comes first and is seen here, or it comes later and sees the change.
 */
export async function revokeUserSessions(
  tx: Tx,
  deps: Deps,
  { user_id, except, now }: { user_id: string; except?: string | undefined; now: Date },
): Promise<number> {
  const ended = await revokeSessions(tx, { user_id, ...(except !== undefined && { except }) }, now);
  await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
  return ended.length;
}

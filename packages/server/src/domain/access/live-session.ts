import type { Tx } from '../../platform/db/connect.ts';
import { notSignedIn } from '../service-error.ts';
import { findSessionForFreshAuth } from '../sessions/queries.ts';
import type { SessionState } from '../sessions/state.ts';
import { shareUser } from '../users/queries.ts';

/**
 * Throws if the session was revoked since the guard ran. Locks the user's row first, in share mode: a transaction that
 * ends the sessions of that user and removes credentials either commits first and is seen here, or waits and sees what
 * this transaction writes.
 */
export async function requireLiveSession(
  tx: Tx,
  { session_id, user_id }: Pick<SessionState, 'session_id' | 'user_id'>,
  now: Date,
): Promise<void> {
  await shareUser(tx, user_id);
  if (!(await findSessionForFreshAuth(tx, { session_id, user_id }, now))) throw notSignedIn();
}

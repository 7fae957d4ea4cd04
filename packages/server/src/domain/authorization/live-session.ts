import type { Tx } from '../../platform/db/connect.ts';
import type { Principal } from '../kernel/principal.ts';
import { notSignedIn } from '../kernel/service-error.ts';
import { isRevokedSession } from '../sessions/queries.ts';
import { shareUser } from '../users/queries.ts';

/**
 * Throws if the session of a user was revoked since the guard ran; `requirePermission` checks machines. Locks the row
 * of the user first, in share mode: a transaction that ends the sessions of that user and removes credentials either
 * commits first and is seen here, or waits and sees what this transaction writes.
 */
export async function requireLiveSession(tx: Tx, principal: Principal): Promise<void> {
  if (principal.kind !== 'user') return;
  const { session_id, user_id } = principal.session;
  await shareUser(tx, user_id);
  if (await isRevokedSession(tx, session_id)) throw notSignedIn();
}

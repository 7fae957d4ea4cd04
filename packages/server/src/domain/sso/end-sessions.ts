import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { endGrants } from '../grants/end.ts';
import { revokeSessions } from '../sessions/queries.ts';

/**
 * Ends the sessions that a connection has opened, and the grants of applications from them, also those with the scope
 * `offline_access`. Before the call, callers must lock the connection for update and write the change that is the
 * reason: a concurrent sign-in locks the connection in share mode, so it either commits first and is seen here, or it
 * sees the change and fails. Returns the number of sessions.
 */
export async function endConnectionSessions(
  tx: Tx,
  deps: Deps,
  { id: connection_id, organization_id }: { id: string; organization_id: string },
  now: Date,
): Promise<number> {
  const ended = await revokeSessions(tx, { connection_id }, now);
  await endGrants(tx, deps, { organization_id, connection_id }, now);
  if (ended.length > 0) await deps.bus.announce(tx, now, [{ topic: 'organization', key: organization_id }]);
  return ended.length;
}

import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { endGrants } from '../oauth-server/grants/end.ts';
import { revokeSessions } from '../sessions/queries.ts';

/**
 * Ends the sessions that a connection has opened, and the application grants from them, also those with
 * `offline_access`. Callers must first lock the connection for update and write the change, for example the
 * deactivation. A concurrent sign-in locks the connection in share mode, so either it commits first and its session is
 * ended here, or it sees the change and fails. Returns the number of sessions.
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

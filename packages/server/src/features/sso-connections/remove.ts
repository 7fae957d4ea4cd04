import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { endConnectionSessions } from '../../domain/endings/end-connection-sessions.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { deleteConnection, findConnectionForUpdate } from '../../domain/sso/queries.ts';
import { aboutConnection, noSuchConnection } from './describe.ts';
import { lockPolicy, requireRemaining, sessionOf } from './required-sign-on.ts';

/**
 * DELETE …/:id: ends the sessions of the connection and unlinks its accounts. 204 also if it is already deleted, 404
 * for an unknown id.
 */
export async function removeConnection(deps: Deps, caller: Caller, id: string): Promise<void> {
  const session = sessionOf(caller);
  const { organization_id } = session;
  const now = deps.clock.now();
  await transactAs({ deps, caller }, { locks: (tx) => lockPolicy(tx, session) }, async (tx, { locked }) => {
    const before = await findConnectionForUpdate(tx, { id, organization_id });
    if (!before) throw noSuchConnection();
    if (before.deleted_at !== null) return;
    await deleteConnection(tx, id, now);
    await requireRemaining(tx, locked, before);
    const metadata = { sessions: await endConnectionSessions(tx, deps, before, now) };
    await recordAudit(tx, caller, { action: 'sso.connection.deleted', now, ...aboutConnection(before), metadata });
  });
}

import type { SsoConnection } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { endConnectionSessions } from '../../domain/endings/end-connection-sessions.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findConnectionForUpdate, updateConnection } from '../../domain/sso/queries.ts';
import { aboutConnection, noSuchConnection } from './describe.ts';
import { readConnection } from './list.ts';
import { lockPolicy, requireRemaining, sessionOf } from './required-sign-on.ts';

/** POST …/:id/activate: → 200. Needs a passed test since the last change of issuer, client or secret. */
export function activateConnection(deps: Deps, caller: Caller, id: string): Promise<SsoConnection> {
  const session = sessionOf(caller);
  const { organization_id } = session;
  const now = deps.clock.now();
  return transactAs({ deps, caller }, { locks: (tx) => lockPolicy(tx, session) }, async (tx) => {
    const before = await findConnectionForUpdate(tx, { id, organization_id });
    if (!before || before.deleted_at !== null) throw noSuchConnection();
    if (before.tested_at === null) {
      throw new ServiceError('conflict', 'test the connection first: no test has passed with its present settings');
    }
    if (!before.active) {
      await updateConnection(tx, id, { active: true });
      const about = aboutConnection(before);
      await recordAudit(tx, caller, { action: 'sso.connection.activated', now, ...about, metadata: {} });
    }
    return readConnection(deps, before, tx);
  });
}

/** POST …/:id/deactivate: → 200. Ends the sessions of the connection. */
export function deactivateConnection(deps: Deps, caller: Caller, id: string): Promise<SsoConnection> {
  const session = sessionOf(caller);
  const { organization_id } = session;
  const now = deps.clock.now();
  return transactAs({ deps, caller }, { locks: (tx) => lockPolicy(tx, session) }, async (tx, { locked }) => {
    const before = await findConnectionForUpdate(tx, { id, organization_id });
    if (!before || before.deleted_at !== null) throw noSuchConnection();
    if (before.active) {
      await updateConnection(tx, id, { active: false });
      await requireRemaining(tx, locked, before);
      const metadata = { sessions: await endConnectionSessions(tx, deps, before, now) };
      const about = aboutConnection(before);
      await recordAudit(tx, caller, { action: 'sso.connection.deactivated', now, ...about, metadata });
    }
    return readConnection(deps, before, tx);
  });
}

import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import { endConnectionSessions } from '../sso/end-sessions.ts';
import { findConnectionForUpdate } from '../sso/queries.ts';
import type { DomainRow } from './queries.ts';

/**
 * The contract, section 13.3: ends the sessions of the connection that has lost a verified domain. `row` is the domain
 * before the change. Callers must write the change first: a concurrent sign-in locks the connection in share mode, then
 * checks the domain.
 */
export async function endDomainSessions(
  tx: Tx,
  deps: Deps,
  { verified_at, connection_id, organization_id }: DomainRow,
  now: Date,
): Promise<void> {
  if (verified_at === null || connection_id === null) return;
  const connection = { id: connection_id, organization_id };
  await findConnectionForUpdate(tx, connection);
  await endConnectionSessions(tx, deps, connection, now);
}

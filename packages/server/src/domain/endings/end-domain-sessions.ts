import type { Tx } from '../../platform/db/connect.ts';
import type { Deps } from '../context.ts';
import type { DomainRow } from '../email-domains/queries.ts';
import { findPolicyForUpdate } from '../policy/queries.ts';
import { lockConnectionOfDomain } from '../sso/queries.ts';
import { endConnectionSessions } from './end-connection-sessions.ts';

type DomainKey = Pick<DomainRow, 'id' | 'organization_id'>;

/**
 * Locks what depends on a domain, before the domain itself (see `kernel/lock-order.ts`). Under the lock of the
 * organization, the domain keeps its connection. Returns the organization's policy.
 */
export async function lockForLoss(tx: Tx, key: DomainKey) {
  const found = await findPolicyForUpdate(tx, key.organization_id);
  await lockConnectionOfDomain(tx, key);
  return found?.policy ?? null;
}

/**
 * docs/reference/policy-and-sso.md#domains: ends the sessions of the connection that has lost a verified domain. `row`
 * is the domain before the change. Callers must write the change first, under `lockForLoss`: a concurrent sign-in locks
 * the connection in share mode, then checks the domain.
 */
export async function endDomainSessions(
  tx: Tx,
  deps: Deps,
  { verified_at, connection_id, organization_id }: DomainRow,
  now: Date,
): Promise<void> {
  if (verified_at === null || connection_id === null) return;
  await endConnectionSessions(tx, deps, { id: connection_id, organization_id }, now);
}

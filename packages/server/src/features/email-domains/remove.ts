import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { findDomainForUpdate, updateRemoved } from '../../domain/email-domains/queries.ts';
import { endDomainSessions, lockForLoss } from '../../domain/endings/end-domain-sessions.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { hasUsableConnection } from '../../domain/sso/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { noSuchDomain } from './describe.ts';

/** DELETE /orgs/:org_id/domains/:id: ends the sessions of its connection. 204 if repeated, 404 for an unknown id. */
export async function removeDomain(deps: Deps, caller: Caller, session: SessionState, id: string): Promise<void> {
  const now = deps.clock.now();
  const { organization_id, user_id } = session;
  const locks = async (tx: Tx) => {
    // The check of the permission locks the organization in share mode only; raising that lock could deadlock.
    await lockUser(tx, user_id);
    return lockForLoss(tx, { id, organization_id });
  };
  await transactAs({ deps, caller }, { locks }, async (tx, { locked: policy }) => {
    const row = await findDomainForUpdate(tx, { id, organization_id });
    if (!row) throw noSuchDomain();
    if (row.removed_at !== null) return;
    await updateRemoved(tx, id, now);
    const isUsed = row.verified_at !== null && row.connection_id !== null;
    if (policy?.sso_required && isUsed && !(await hasUsableConnection(tx, organization_id))) throw isLast();
    await recordAudit(tx, caller, {
      action: 'domain.removed',
      now,
      resource_type: 'domain',
      resource_id: id,
      metadata: { domain: row.domain },
    });
    await endDomainSessions(tx, deps, row, now);
  });
}

/**
 * docs/reference/policy-and-sso.md#required-single-sign-on: with `sso_required`, the active connections keep at least
 * one verified domain.
 */
const isLast = () =>
  new ServiceError(
    'conflict',
    'the policy requires single sign-on, and this is the last verified domain of an active connection; change the policy first',
  );

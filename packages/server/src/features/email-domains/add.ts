import { type Domain, LIMITS, type NewDomain } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { countDomains, DOMAIN_KNOWN, insertDomain, lockDomains } from '../../domain/email-domains/queries.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { describeDomain } from './describe.ts';
import { checkedDomain } from './rules.ts';

/** POST /orgs/:org_id/domains: domain → 201 pending domain, with the record to add to its DNS. */
export async function addDomain(deps: Deps, caller: Caller, session: SessionState, input: NewDomain): Promise<Domain> {
  const now = deps.clock.now();
  const { organization_id } = session;
  const domain = checkedDomain(input.domain);
  const row = { id: uuid(), organization_id, domain, token: randomToken(), created_at: now };
  const locks = (tx: Tx) => lockDomains(tx, organization_id);
  await transactAs({ deps, caller }, { locks }, async (tx) => {
    if ((await countDomains(tx, organization_id)) >= LIMITS.domain.perOrganization) {
      throw new ServiceError('conflict', `there are ${LIMITS.domain.perOrganization} domains, which is the maximum`);
    }
    await insertDomain(tx, row);
    await recordAudit(tx, caller, {
      action: 'domain.added',
      now,
      resource_type: 'domain',
      resource_id: row.id,
      metadata: { domain },
    });
  }).catch((error) => {
    if (violatedConstraint(error) !== DOMAIN_KNOWN) throw error;
    throw new ServiceError('conflict', `the organization already has ${domain}`, { cause: error });
  });
  return describeDomain({ ...row, connection_id: null, verified_at: null, checked_at: null, failing_since: null });
}

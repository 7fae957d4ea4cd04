import type { Domain } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import {
  DOMAIN_TAKEN,
  type DomainRow,
  findDomain,
  findDomainForUpdate,
  updateChecked,
  updateVerified,
} from '../../domain/email-domains/queries.ts';
import { lookUpRecord, type RecordState, recordOf } from '../../domain/email-domains/record.ts';
import { nextCheck } from '../../domain/endings/domain-checks.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError, tooMany } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { NoRoom } from '../../platform/bounded.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { commitAndFail } from '../../platform/db/transact.ts';
import { describeDomain, noSuchDomain } from './describe.ts';

/**
 * POST /orgs/:org_id/domains/:id/verify: → 200 domain; 409 if the record is not found, or if another organization has
 * verified the domain, which is revealed only to an organization whose record is found. A verified domain is checked
 * too, but only daily checks can make it lapse.
 */
export async function verifyDomain(deps: Deps, caller: Caller, session: SessionState, id: string): Promise<Domain> {
  const key = { id, organization_id: session.organization_id };
  const row = await findDomain(deps.db, key);
  if (!row) throw noSuchDomain();
  await countVerification(deps, session);
  const state = await lookUp(deps, row);

  return transactAs({ deps, caller }, {}, async (tx) => {
    const now = deps.clock.now();
    const current = await findDomainForUpdate(tx, key);
    if (!current || current.removed_at !== null) throw noSuchDomain();
    const isPending = current.verified_at === null;
    if (state !== 'found') {
      if (isPending && state === 'missing') await updateChecked(tx, id, now);
      return commitAndFail(notFound(current, state));
    }
    await updateVerified(tx, id, { now, next_check_at: nextCheck(now) });
    if (isPending) {
      await recordAudit(tx, caller, {
        action: 'domain.verified',
        now,
        resource_type: 'domain',
        resource_id: id,
        metadata: { domain: current.domain },
      });
    }
    return describeDomain({
      ...current,
      verified_at: current.verified_at ?? now,
      checked_at: now,
      failing_since: null,
    });
  }).catch((error) => {
    if (violatedConstraint(error) !== DOMAIN_TAKEN) throw error;
    throw new ServiceError('conflict', 'another organization has verified this domain', { cause: error });
  });
}

async function countVerification({ limiter, config }: Deps, { organization_id }: SessionState): Promise<void> {
  const counter = limiter.counter('domain checks', organization_id, config.LIMIT_DOMAIN_CHECKS);
  const { allowed, retryAfter } = await limiter.hit(counter);
  if (!allowed) throw tooMany(retryAfter);
}

const lookUp = (deps: Deps, row: DomainRow): Promise<RecordState> =>
  lookUpRecord(deps, row).catch((error) => {
    throw error instanceof NoRoom ? tooMany(1) : error;
  });

const notFound = (row: DomainRow, state: Exclude<RecordState, 'found'>) =>
  new ServiceError(
    'conflict',
    state === 'missing'
      ? `the TXT record was not found at ${recordOf(row).name}; a new record can take some time to become visible`
      : `the DNS servers of ${row.domain} did not answer; try again later`,
  );

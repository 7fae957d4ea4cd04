import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '@gatehouse/contract';
import { after } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import {
  claimDueDomains,
  type DomainRow,
  findClaimedForUpdate,
  updateFailing,
  updateLapsed,
  updateVerified,
} from '../email-domains/queries.ts';
import { lookUpRecord, type RecordState } from '../email-domains/record.ts';
import { SYSTEM } from '../kernel/caller.ts';
import { listOwners } from '../memberships/queries.ts';
import { notify } from '../users/notify.ts';
import { endDomainSessions, lockForLoss } from './end-domain-sessions.ts';

const DAY = 24 * 3600;
const HOUR = 3600;
/** A check fails if DNS has not answered for this long: one day until the check is due, one day of hourly retries. */
const MAX_UNANSWERED_SECONDS = 2 * DAY;
/** Longer than any look-up. If the process dies, another one can claim the domain after this time. */
const LEASE_SECONDS = 600;
const POLL_INTERVAL_MS = 60_000;
const BATCH = 16;

export interface DomainChecks {
  start(): void;
  stop(): Promise<void>;
  checkDue(): Promise<void>;
}

/** Between 23 and 24 hours from now, at random, so that domains verified together are not checked all at once. */
export const nextCheck = (now: Date): Date => after(now, DAY - Math.random() * HOUR);

/**
 * Looks up the record of every verified domain once a day. All processes run this; each one claims the domains that it
 * checks. No transaction is open during a look-up.
 */
export function createDomainChecks(deps: Deps): DomainChecks {
  const { db, clock, log } = deps;
  const abort = new AbortController();
  let loop: Promise<void> = Promise.resolve();

  const checkOne = async (row: DomainRow, leased_until: Date): Promise<void> => {
    const state = await lookUpRecord(deps, row);
    await transact(db, (tx) => applyCheck(tx, deps, { ...row, leased_until, state }));
  };

  const checkDue = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const now = clock.now();
      const leased_until = after(now, LEASE_SECONDS);
      const claimed = await claimDueDomains(db, { now, leased_until, limit: BATCH });
      await Promise.all(
        claimed.map((row) =>
          checkOne(row, leased_until).catch((err) =>
            log.warn({ err, domain_id: row.id }, 'the check of a domain failed; it will be retried'),
          ),
        ),
      );
      if (claimed.length < BATCH) return;
    }
  };

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      await checkDue().catch((err) => log.warn({ err }, 'domains could not be checked; trying again'));
      await sleep(POLL_INTERVAL_MS, undefined, { signal: abort.signal, ref: false }).catch(() => {});
    }
  };

  return {
    start() {
      loop = run();
    },
    async stop() {
      abort.abort();
      await loop;
    },
    checkDue,
  };
}

interface Check extends Pick<DomainRow, 'id' | 'organization_id'> {
  readonly leased_until: Date;
  readonly state: RecordState;
}

async function applyCheck(tx: Tx, deps: Deps, { id, organization_id, leased_until, state }: Check): Promise<void> {
  const now = deps.clock.now();
  if (state !== 'found') await lockForLoss(tx, { id, organization_id });
  const row = await findClaimedForUpdate(tx, { id, leased_until });
  if (!row) return;
  if (state === 'found') {
    await updateVerified(tx, id, { now, next_check_at: nextCheck(now) });
    return;
  }
  const { failing_since } = row;
  const checked_at = state === 'missing' ? now : row.checked_at;
  const lapses_at = failing_since && after(failing_since, LIMITS.domain.lapse);
  if (lapses_at && now >= lapses_at) return lapse(tx, deps, { ...row, checked_at }, now);
  const isRetried = state === 'unanswered' && (failing_since || !isOverdue(row, now));
  const next = isRetried ? after(now, HOUR) : nextCheck(now);
  await updateFailing(tx, id, {
    checked_at,
    failing_since: failing_since ?? (isRetried ? null : now),
    next_check_at: lapses_at && next > lapses_at ? lapses_at : next,
  });
  if (!failing_since && !isRetried) await notifyOwners(tx, deps, row);
}

/** `checked_at` is null for a domain that was imported and not checked since. */
const isOverdue = ({ checked_at }: DomainRow, now: Date): boolean =>
  checked_at === null || now >= after(checked_at, MAX_UNANSWERED_SECONDS);

/** Makes the domain pending again, so that any organization can verify it, and ends the sessions of its connection. */
async function lapse(tx: Tx, deps: Deps, row: DomainRow, now: Date): Promise<void> {
  await updateLapsed(tx, row.id, row.checked_at);
  await recordAudit(tx, SYSTEM, {
    action: 'domain.lapsed',
    now,
    resource_type: 'domain',
    resource_id: row.id,
    organization_id: row.organization_id,
    metadata: { domain: row.domain },
  });
  await endDomainSessions(tx, deps, row, now);
}

async function notifyOwners(tx: Tx, deps: Deps, { organization_id, domain }: DomainRow): Promise<void> {
  for (const { organization_name, ...owner } of await listOwners(tx, { organization_id })) {
    const params = { organization_name, domain, days: LIMITS.domain.lapse / DAY };
    await notify(tx, deps, owner, { template: 'domain_failing', params });
  }
}

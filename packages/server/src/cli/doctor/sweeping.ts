import { after } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { findLeaseEnd } from '../../platform/db/lease.ts';
import { findOldestTransaction, findServerTime, type LongTransaction } from '../../platform/db/server-state.ts';
import { SWEEP_LEASE, SWEEP_LEASE_SECONDS } from '../../platform/sweeper.ts';
import { counted } from '../support/text.ts';
import { type Finding, ok, skipped, warning } from './finding.ts';
import { countUncounted, listOverdue, MAX_COUNT, UNCOUNTED } from './queries.ts';
import { between } from './times.ts';

/** The sweeper runs every 30 seconds, so after this time without a run something is wrong. */
const MISSED_SECONDS = 300;
const HOUR = 3_600;

/** Whether expired rows are deleted. Uses the clock of the database, like leases. */
export async function examineSweeper(db: Db, isServed: boolean): Promise<Finding> {
  const CHECK = 'sweeper';
  if (!isServed) return skipped(CHECK, 'no service uses this database: expired rows stay until one does');
  const fix = "Look for `sweep` in the service's log, and see the check `transactions`.";
  const now = await findServerTime(db);
  const end = await findLeaseEnd(db, SWEEP_LEASE);
  const last = end && after(end, -SWEEP_LEASE_SECONDS);
  if (last && last < after(now, -MISSED_SECONDS)) {
    return warning(CHECK, `has not run for ${between(last, now)}`, fix);
  }
  const behind = (await listOverdue(db, now, HOUR)).filter(({ count }) => count >= MAX_COUNT).map(({ table }) => table);
  if (behind.length > 0) {
    return warning(
      CHECK,
      `is behind: at least ${MAX_COUNT} rows that expired an hour ago are still in ${behind.join(', ')}`,
      fix,
    );
  }
  return ok(CHECK, last ? 'runs' : 'has not run yet: the service has just started');
}

/** Audit rows that are not in the stored counts: lists have to count them each time. */
export async function examineCounts(db: Db): Promise<Finding> {
  const CHECK = 'audit counts';
  const uncounted = await countUncounted(db);
  if (uncounted < UNCOUNTED)
    return ok(CHECK, uncounted === 0 ? 'up to date' : `up to date except for ${counted(uncounted, 'row')}`);
  const fix =
    'See the check `transactions`. After a restore and after migration 6, the running service rebuilds the counts.';
  return warning(CHECK, `at least ${UNCOUNTED} rows are not counted yet: lists of the audit trail are slow`, fix);
}

const LONG_MS = 3_600_000;

/** A long transaction delays counting and vacuuming on the whole server. */
export async function examineTransactions(db: Db): Promise<Finding> {
  return assessTransaction(await findOldestTransaction(db), await findServerTime(db));
}

export function assessTransaction(oldest: LongTransaction | null, now: Date): Finding {
  const CHECK = 'transactions';
  if (!oldest || now.getTime() - oldest.since.getTime() < LONG_MS) {
    return ok(CHECK, 'no visible one has been open for an hour');
  }
  const { pid, since } = oldest;
  const fix = `Inspect it in psql and end it if it is not needed: select * from pg_stat_activity where pid = ${pid}; select pg_terminate_backend(${pid});`;
  return warning(
    CHECK,
    `one has been open for ${between(since, now)} (pid ${pid}): newer rows cannot be counted or cleaned up`,
    fix,
  );
}

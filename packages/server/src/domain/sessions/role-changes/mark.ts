import type { BusEvent } from '../../../platform/bus/event.ts';
import type { Tx } from '../../../platform/db/connect.ts';
import { afterCommit } from '../../../platform/db/transact.ts';
import type { Deps } from '../../context.ts';
import { lastExpiry } from './expiry.ts';
import { type Affected, insertRefreshes, publishRefreshes } from './queries.ts';

/** The maximum of ACCESS_TOKEN_TTL. */
const LONGEST_TTL = 86_400;

/**
 * docs/reference/sessions.md#stale-tokens: makes access tokens stale whose roles were read before this transaction
 * (local verifiers learn it from the feed), and drops cached sessions. Called after the change; waits for no lock of a
 * sign-in.
 */
export async function markStale(tx: Tx, deps: Deps, affected: Affected, now: Date): Promise<void> {
  const { ACCESS_TOKEN_TTL } = deps.config;
  const subjects = await insertRefreshes(tx, {
    affected,
    expires_at: lastExpiry(now, ACCESS_TOKEN_TTL),
    latest_expiry: lastExpiry(now, LONGEST_TTL),
  });
  if (subjects.length === 0) return;
  await deps.bus.announce(tx, now, subjects.map(cacheEvent));
  afterCommit(tx, async () => {
    try {
      await publishRefreshes(deps.db, lastExpiry(deps.clock.now(), ACCESS_TOKEN_TTL));
    } catch (err) {
      deps.log.warn({ err }, 'changes of roles could not be published; the next reader of the feed publishes them');
    }
  });
}

/** The subject `*` stands for every organization. */
function cacheEvent(subject: string): BusEvent {
  const [organization_id, user_id] = subject.split('/');
  return user_id === undefined ? { topic: 'organization', key: organization_id! } : { topic: 'user', key: user_id };
}

import type { Tx } from '../../../platform/db/connect.ts';
import type { Deps } from '../../context.ts';
import { type EndedGrants, updateEndedGrants } from './queries.ts';

/**
 * Ends grants and adds those with a valid access token to the revocation feed. Runs as a statement of its own, after
 * the change that is the reason: a concurrent authorization locks the rows that this change writes, so it either
 * commits first and is seen here, or it sees the change and fails. Returns how many grants were active until now.
 */
export async function endGrants(tx: Tx, { bus }: Pick<Deps, 'bus'>, which: EndedGrants, now: Date): Promise<number> {
  const ids = await updateEndedGrants(tx, which, now);
  if (ids.length > 0) await bus.announce(tx, now, eventsOf(ids));
  return ids.length;
}

/** If more grants end at once, one event drops all cached grants. */
const MAX_EVENTS = 50;

const eventsOf = (ids: readonly string[]) =>
  (ids.length > MAX_EVENTS ? ['*'] : ids).map((key) => ({ topic: 'grant' as const, key }));

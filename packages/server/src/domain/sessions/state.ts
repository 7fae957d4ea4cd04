import type { Bus } from '../../platform/bus/bus.ts';
import { createCache } from '../../platform/bus/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { SessionState } from '../kernel/session-state.ts';
import { createLastUse } from './last-use.ts';
import { findLiveSession } from './queries.ts';

export interface SessionStates {
  /** The cached state if the bus is fresh, otherwise from the database. Undefined if the session is not active. */
  find(sid: string): SessionState | undefined | Promise<SessionState | undefined>;
  /** Like `find`, without a query: undefined if the state is not cached. */
  known(sid: string): SessionState | undefined;
  /** Reads the database, whatever is cached. */
  reload(sid: string): Promise<SessionState | undefined>;
  /** Stores which sessions were used since the last call. */
  flush(): Promise<void>;
}

const MAX_CACHED = 50_000;

export function createSessionStates(db: Db, clock: Clock, bus: Bus): SessionStates {
  const lastUse = createLastUse(db, clock);
  const cache = createCache<SessionState | undefined>({
    bus,
    async load(sid) {
      const state = await findLiveSession(db, sid, clock.now());
      if (state) lastUse.note(state, clock.now());
      return state;
    },
    topics: { session: 'key', user: 'group', organization: 'group' },
    groupsOf: ({ user_id, organization_id }) => [user_id, organization_id],
    max: MAX_CACHED,
  });

  const known = (sid: string): SessionState | undefined => {
    const state = cache.known(sid);
    const now = clock.now();
    // A session that seems expired may have been refreshed since it was cached.
    if (!state || state.expires_at <= now) return undefined;
    lastUse.note(state, now);
    return state;
  };

  return {
    find: (sid) => known(sid) ?? cache.load(sid),
    known,
    reload: cache.reload,
    flush: lastUse.flush,
  };
}

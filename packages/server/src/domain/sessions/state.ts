import { LRUCache } from 'lru-cache';
import type { Bus } from '../../platform/bus/bus.ts';
import { createGroups } from '../../platform/bus/groups.ts';
import { atMost, dropStale } from '../../platform/cache-limit.ts';
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
/** Cached states expire after this time, so that a missed change event has an effect for at most a minute. */
const MAX_AGE_MS = 60_000;

/** The key of a change that affects all organizations. */
const EVERYTHING = '*';

interface CachedState {
  readonly state: SessionState;
  /** When the cached state expires, by the monotonic clock. */
  readonly until: number;
}

export function createSessionStates(db: Db, clock: Clock, bus: Bus): SessionStates {
  const groups = createGroups((state: SessionState) => [state.user_id, state.organization_id]);
  const states = new LRUCache<string, CachedState>({
    ...atMost(MAX_CACHED),
    dispose: ({ state }, sid) => groups.remove(state, sid),
  });
  // A change event removes the running load from this map: its result, which may be stale, is used once and not cached.
  const loading = new Map<string, Promise<SessionState | undefined>>();

  const forget = (sids: Iterable<string>): void => {
    for (const sid of [...sids]) states.delete(sid);
  };
  bus.subscribe('session', (sid) => {
    if (sid === undefined) {
      loading.clear();
      states.clear();
    } else {
      loading.delete(sid);
      states.delete(sid);
    }
  });
  for (const topic of ['user', 'organization'] as const) {
    bus.subscribe(topic, (id) => {
      loading.clear();
      forget(id === undefined || id === EVERYTHING ? states.keys() : groups.of(id));
    });
  }

  const lastUse = createLastUse(db, clock);

  const load = (sid: string): Promise<SessionState | undefined> => {
    const reading = findLiveSession(db, sid, clock.now()).then((state) => {
      const unchanged = loading.get(sid) === reading;
      if (unchanged) loading.delete(sid);
      if (state && unchanged && bus.isFresh()) {
        dropStale(states, ({ until }) => until <= performance.now());
        states.set(sid, { state, until: performance.now() + MAX_AGE_MS });
        groups.add(state, sid);
      }
      if (state) lastUse.note(state, clock.now());
      return state;
    });
    loading.set(sid, reading);
    reading.catch(() => loading.delete(sid));
    return reading;
  };

  const known = (sid: string): SessionState | undefined => {
    const kept = bus.isFresh() ? states.get(sid) : undefined;
    const now = clock.now();
    // A session that seems expired may have been refreshed since it was cached.
    if (!kept || kept.until <= performance.now() || kept.state.expires_at <= now) return undefined;
    lastUse.note(kept.state, now);
    return kept.state;
  };

  return {
    // Concurrent callers share one query.
    find: (sid) => known(sid) ?? loading.get(sid) ?? load(sid),
    known,
    reload(sid) {
      states.delete(sid);
      return load(sid);
    },
    flush: lastUse.flush,
  };
}

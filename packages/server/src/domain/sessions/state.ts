import { LRUCache } from 'lru-cache';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { findLiveSession } from './queries.ts';

/** A session in force, with what the guards need to know of its user and membership. */
export type SessionState = NonNullable<Awaited<ReturnType<typeof findLiveSession>>>;

export interface SessionStates {
  /** At once when it is known and the bus is fresh; otherwise the database is asked. Undefined: no longer in force. */
  find(sid: string): SessionState | undefined | Promise<SessionState | undefined>;
}

const MAX_CACHED = 50_000;

export function createSessionStates(db: Db, clock: Clock, bus: Bus): SessionStates {
  const states = new LRUCache<string, SessionState>({ max: MAX_CACHED });
  // Raised by every invalidation: what was read before one must not be kept after it.
  let generation = 0;

  const forget = (matches: (state: SessionState) => boolean): void => {
    generation++;
    for (const [sid, state] of states.entries()) if (matches(state)) states.delete(sid);
  };
  bus.subscribe('session', (sid) => {
    generation++;
    if (sid === undefined) states.clear();
    else states.delete(sid);
  });
  bus.subscribe('user', (id) => forget((state) => id === undefined || state.user_id === id));
  bus.subscribe('organization', (id) => forget((state) => id === undefined || state.organization_id === id));

  const load = async (sid: string): Promise<SessionState | undefined> => {
    const before = generation;
    const state = await findLiveSession(db, sid, clock.now());
    if (state && before === generation && bus.isFresh()) states.set(sid, state);
    return state;
  };

  return {
    find(sid) {
      const state = bus.isFresh() ? states.get(sid) : undefined;
      if (!state) return load(sid);
      if (state.expires_at > clock.now()) return state;
      states.delete(sid);
      return undefined;
    },
  };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Bus } from '../../platform/bus/bus.ts';
import { atMost } from '../../platform/cache-limit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { KeyState } from '../kernel/machine.ts';
import { findKeyState, updateMachinesUsed } from './queries.ts';

type Found = KeyState | undefined | Promise<KeyState | undefined>;

export interface MachineStates {
  /** Returns the cached state if the bus is fresh, otherwise queries the database. */
  findByPublicId(public_id: string): Found;
  /** Finds the key whose access tokens currently have this `sid`. */
  findBySid(sid: string): Found;
  /** Reads the database, whatever is cached. */
  reload(public_id: string): Promise<KeyState | undefined>;
  /** Notes that the key was used; `flush` stores it. */
  note(state: KeyState): void;
  /** Runs `work`, which must not reject, after the current response was sent. */
  report(work: () => Promise<void>): void;
  /** Stores the noted uses, and waits for running reports. */
  flush(): Promise<void>;
}

/** Cache sizes. Unknown public ids have a separate cache, so that invented keys never displace a key that is in use. */
const SIZES = { keys: 10_000, misses: 1_000 };
/** How long a cached value is used if the event of its change was missed. */
const MAX_AGE_MS = 60_000;
/** The minimum time between two writes of `last_used_at` of one key. */
const WRITE_INTERVAL_SECONDS = 60;

interface Cached {
  readonly state: KeyState;
  /** When the cached state expires, by the monotonic clock. */
  readonly until: number;
}

/** Like `createSessionStates`, for API keys: a request with a known key usually costs no query. */
export function createMachineStates(db: Db, clock: Clock, bus: Bus, sizes = SIZES): MachineStates {
  const states = new LRUCache<string, Cached>(atMost(sizes.keys));
  // Public ids without a key, with the expiry of the entry. Cached: an unknown id must cost as much as a wrong secret.
  const misses = new LRUCache<string, number>(atMost(sizes.misses));
  // A change event clears this map: the result of a running load, which may be stale, is used once and not cached.
  const loading = new Map<string, Promise<KeyState | undefined>>();
  let used = new Map<string, KeyState>();
  const reports = new Set<Promise<void>>();

  const forget = (isAffected: (state: KeyState) => boolean): void => {
    loading.clear();
    for (const [name, { state }] of [...states.entries()]) if (isAffected(state)) states.delete(name);
  };
  const keep = (name: string, state: KeyState | undefined): void => {
    const until = performance.now() + MAX_AGE_MS;
    (state ? misses : states).delete(name);
    if (state) states.set(name, { state, until });
    else misses.set(name, until);
  };
  // Changes of service accounts, their keys and roles are announced under the topic `user`.
  bus.subscribe('user', (id) => forget(({ service_account_id }) => id === undefined || service_account_id === id));
  bus.subscribe('organization', (id) =>
    forget(({ organization_id }) => id === undefined || id === '*' || organization_id === id),
  );

  const load = (name: string, by: Parameters<typeof findKeyState>[1]): Promise<KeyState | undefined> => {
    const reading = findKeyState(db, by).then((state) => {
      const unchanged = loading.get(name) === reading;
      if (unchanged) loading.delete(name);
      if (unchanged && bus.isFresh()) keep(name, state);
      return state;
    });
    loading.set(name, reading);
    reading.catch(() => loading.delete(name));
    return reading;
  };
  const find = (name: string, by: Parameters<typeof findKeyState>[1]): Found => {
    if (bus.isFresh()) {
      const kept = states.get(name);
      if (kept && kept.until > performance.now()) return kept.state;
      if (!kept && (misses.get(name) ?? 0) > performance.now()) return undefined;
    }
    return loading.get(name) ?? load(name, by);
  };

  return {
    findByPublicId: (public_id) => find(public_id, { public_id }),
    findBySid: (sid) => find(sid, { sid }),
    reload: (public_id) => load(public_id, { public_id }),
    note(state) {
      const now = clock.now();
      if (state.last_used_at !== null && now.getTime() - state.last_used_at.getTime() < WRITE_INTERVAL_SECONDS * 1000)
        return;
      state.last_used_at = now;
      used.set(state.key_id, state);
    },
    report(work) {
      // Responses are sent before the event loop reaches this phase.
      const report = nextTurn()
        .then(work)
        .finally(() => reports.delete(report));
      reports.add(report);
    },
    async flush() {
      await Promise.all(reports);
      if (used.size === 0) return;
      const noted = used;
      used = new Map();
      const accounts = [...new Set([...noted.values()].map(({ service_account_id }) => service_account_id))];
      try {
        await updateMachinesUsed(db, {
          keys: [...noted.keys()],
          accounts,
          now: clock.now(),
          every: WRITE_INTERVAL_SECONDS,
        });
      } catch (error) {
        for (const [key_id, state] of noted) used.set(key_id, state);
        throw error;
      }
    },
  };
}

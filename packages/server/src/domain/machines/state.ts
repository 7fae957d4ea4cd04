import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bus } from '../../platform/bus/bus.ts';
import { createCache } from '../../platform/bus/cache.ts';
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

/** Cache sizes. */
const SIZES = { keys: 10_000, misses: 1_000 };
/** The minimum time between two writes of `last_used_at` of one key. */
const WRITE_INTERVAL_SECONDS = 60;

/** API keys, by public id and by `sid`: a request with a known key usually costs no query. */
export function createMachineStates(db: Db, clock: Clock, bus: Bus, sizes = SIZES): MachineStates {
  const createKeyCache = (load: (name: string) => Promise<KeyState | undefined>) =>
    createCache({
      bus,
      load,
      // Changes of service accounts, their keys and roles are announced under the topic `user`.
      topics: { user: 'group', organization: 'group' },
      groupsOf: ({ service_account_id, organization_id }: KeyState) => [service_account_id, organization_id],
      max: sizes.keys,
      // An unknown id must cost as much as a wrong secret.
      maxMisses: sizes.misses,
    });
  const byPublicId = createKeyCache((public_id) => findKeyState(db, { public_id }));
  const bySid = createKeyCache((sid) => findKeyState(db, { sid }));
  let used = new Map<string, KeyState>();
  const reports = new Set<Promise<void>>();

  return {
    findByPublicId: byPublicId.find,
    findBySid: bySid.find,
    reload: byPublicId.reload,
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

import type { FlagMap, FlagState } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import type { Bus } from '../../platform/bus/bus.ts';
import type { BusEvent } from '../../platform/bus/event.ts';
import type { Db } from '../../platform/db/connect.ts';
import { listFlagStates } from './queries.ts';

export interface FlagStates {
  /** §2.4: the flags of this organization. Its own rows override the defaults. */
  find(organization_id: string): Promise<FlagMap>;
}

type Entries = readonly (readonly [string, FlagState])[];

/** The cache key of the defaults; no organization has this id. */
const DEFAULTS = 'defaults';

/** Characters of JSON in the whole cache. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Estimated size of an organization without overrides. */
const ENTRY_CHARACTERS = 200;
/** Cached flags expire after this time, so that a missed change event has an effect for at most a minute. */
const MAX_AGE_MS = 60_000;

export const flagsChanged = (organization_id: string | null): BusEvent => ({
  topic: 'flags',
  key: organization_id ?? DEFAULTS,
});

export function createFlagStates(db: Db, bus: Bus): FlagStates {
  const known = new LRUCache<string, Entries>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (entries) => ENTRY_CHARACTERS + JSON.stringify(entries).length,
    ttl: MAX_AGE_MS,
  });
  // A change event removes the running load from this map: its result, which may be stale, is used once and not cached.
  const loading = new Map<string, Promise<Entries>>();

  bus.subscribe('flags', (scope) => {
    if (scope === undefined) {
      loading.clear();
      known.clear();
    } else {
      loading.delete(scope);
      known.delete(scope);
    }
  });

  const load = (scope: string): Promise<Entries> => {
    const reading = read(db, scope).then(
      (entries) => {
        if (isDone() && bus.isFresh()) known.set(scope, entries);
        return entries;
      },
      (error) => {
        isDone();
        throw error;
      },
    );
    /** Returns false if a change event arrived during the load. */
    const isDone = (): boolean => loading.get(scope) === reading && loading.delete(scope);
    loading.set(scope, reading);
    return reading;
  };

  /** Concurrent callers share one query. */
  const entriesOf = (scope: string): Entries | Promise<Entries> =>
    (bus.isFresh() ? known.get(scope) : undefined) ?? loading.get(scope) ?? load(scope);

  return {
    async find(organization_id) {
      const [defaults, own] = await Promise.all([entriesOf(DEFAULTS), entriesOf(organization_id)]);
      // `fromEntries` defines keys instead of assigning them, so `__proto__` is an ordinary key.
      return Object.fromEntries([...defaults, ...own]);
    },
  };
}

async function read(db: Db, scope: string): Promise<Entries> {
  const rows = await listFlagStates(db, { organization_id: scope === DEFAULTS ? null : scope });
  return rows.map(({ flag_key, enabled, value }) => [flag_key, { enabled, value }]);
}

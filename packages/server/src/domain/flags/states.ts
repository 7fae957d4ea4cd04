import type { FlagMap, FlagState } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import type { Bus } from '../../platform/bus/bus.ts';
import type { BusEvent } from '../../platform/bus/event.ts';
import type { Db } from '../../platform/db/connect.ts';
import { listFlagStates } from './queries.ts';

/** Feature flags in memory: nobody who asks for theirs waits for a look at the database. */
export interface FlagStates {
  /** §2.4: as they are for this organization. Its own rows win over the defaults. */
  find(organization_id: string): Promise<FlagMap>;
}

type Entries = readonly (readonly [string, FlagState])[];

/** The defaults lie beside the rows of organizations, under a name that no organization has. */
const DEFAULTS = 'defaults';

/** Characters of JSON, in all. */
const MAX_SIZE = 32 * 1024 * 1024;
/** What an organization without any flag of its own takes. */
const ENTRY_SIZE = 200;
/** A bound on what a change nobody told of could do. */
const MAX_AGE = 60_000;

/** What has to be said, along with it, of a change of such a row. */
export const flagsChanged = (organization_id: string | null): BusEvent => ({
  topic: 'flags',
  key: organization_id ?? DEFAULTS,
});

export function createFlagStates(db: Db, bus: Bus): FlagStates {
  const known = new LRUCache<string, Entries>({
    maxSize: MAX_SIZE,
    sizeCalculation: (entries) => ENTRY_SIZE + JSON.stringify(entries).length,
    ttl: MAX_AGE,
  });
  // What is being read while something changes may be what was before the change: it is used once and not kept.
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
    /** False: something has changed meanwhile. */
    const isDone = (): boolean => loading.get(scope) === reading && loading.delete(scope);
    loading.set(scope, reading);
    return reading;
  };

  /** Many who ask at once share one look. */
  const entriesOf = (scope: string): Entries | Promise<Entries> =>
    (bus.isFresh() ? known.get(scope) : undefined) ?? loading.get(scope) ?? load(scope);

  return {
    async find(organization_id) {
      const [defaults, own] = await Promise.all([entriesOf(DEFAULTS), entriesOf(organization_id)]);
      // It defines each key and assigns none, so that `__proto__` is a key like any other.
      return Object.fromEntries([...defaults, ...own]);
    },
  };
}

async function read(db: Db, scope: string): Promise<Entries> {
  const rows = await listFlagStates(db, { organization_id: scope === DEFAULTS ? null : scope });
  return rows.map(({ flag_key, enabled, value }) => [flag_key, { enabled, value }]);
}

import type { FlagMap, FlagState } from '@gatehouse/contract';
import type { Bus } from '../../platform/bus/bus.ts';
import { createCache } from '../../platform/bus/cache.ts';
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

export const flagsChanged = (organization_id: string | null): BusEvent => ({
  topic: 'flags',
  key: organization_id ?? DEFAULTS,
});

export function createFlagStates(db: Db, bus: Bus): FlagStates {
  const cache = createCache({
    bus,
    load: (scope) => read(db, scope),
    topics: { flags: 'key' },
    max: MAX_CHARACTERS,
    sizeOf: (entries) => ENTRY_CHARACTERS + JSON.stringify(entries).length,
  });
  return {
    async find(organization_id) {
      const [defaults, own] = await Promise.all([cache.find(DEFAULTS), cache.find(organization_id)]);
      // `fromEntries` defines keys instead of assigning them, so `__proto__` is an ordinary key.
      return Object.fromEntries([...defaults, ...own]);
    },
  };
}

async function read(db: Db, scope: string): Promise<Entries> {
  const rows = await listFlagStates(db, { organization_id: scope === DEFAULTS ? null : scope });
  return rows.map(({ flag_key, enabled, value }) => [flag_key, { enabled, value }]);
}

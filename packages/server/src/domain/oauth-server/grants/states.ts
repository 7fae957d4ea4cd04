import { LRUCache } from 'lru-cache';
import type { Bus } from '../../../platform/bus/bus.ts';
import { createGroups } from '../../../platform/bus/groups.ts';
import { atMost, dropStale } from '../../../platform/cache-limit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/connect.ts';
import { type ApplicationGrant, findLiveGrant } from './queries.ts';

/** In-memory cache of grants, so that userinfo and introspection need no query. */
export interface GrantStates {
  find(id: string): Promise<ApplicationGrant | undefined>;
}

const MAX_CACHED = 20_000;
/** Cached grants expire after this time, so that a missed change event has an effect for at most a minute. */
const MAX_AGE_MS = 60_000;

interface CachedGrant {
  readonly grant: ApplicationGrant;
  /** When the cached grant expires, by the monotonic clock. */
  readonly until: number;
}

export function createGrantStates(db: Db, clock: Clock, bus: Bus): GrantStates {
  const groups = createGroups((grant: ApplicationGrant) => [
    grant.id,
    grant.user_id,
    grant.organization_id,
    grant.session_id,
    grant.application_id,
  ]);
  const known = new LRUCache<string, CachedGrant>({
    ...atMost(MAX_CACHED),
    dispose: ({ grant }, id) => groups.remove(grant, id),
  });
  // A change event removes the running load from this map: its result, which may be stale, is used once and not cached.
  const loading = new Map<string, Promise<ApplicationGrant | undefined>>();
  for (const topic of ['grant', 'session', 'user', 'organization', 'applications'] as const) {
    bus.subscribe(topic, (key) => {
      loading.clear();
      if (key === undefined || key === '*') known.clear();
      else for (const id of [...groups.of(key)]) known.delete(id);
    });
  }

  const load = (id: string): Promise<ApplicationGrant | undefined> => {
    const reading = findLiveGrant(db, id, clock.now())
      .then((grant) => {
        if (!grant) known.delete(id);
        else if (loading.get(id) === reading && bus.isFresh()) {
          dropStale(known, ({ until }) => until <= performance.now());
          known.set(id, { grant, until: performance.now() + MAX_AGE_MS });
          groups.add(grant, id);
        }
        return grant;
      })
      .finally(() => {
        if (loading.get(id) === reading) loading.delete(id);
      });
    loading.set(id, reading);
    return reading;
  };

  return {
    async find(id) {
      const kept = bus.isFresh() ? known.get(id) : undefined;
      const isValid = kept && kept.until > performance.now() && kept.grant.expires_at > clock.now();
      return isValid ? kept.grant : (loading.get(id) ?? load(id));
    },
  };
}

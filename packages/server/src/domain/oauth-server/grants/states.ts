import type { Bus } from '../../../platform/bus/bus.ts';
import { createCache } from '../../../platform/bus/cache.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/connect.ts';
import { type ApplicationGrant, findLiveGrant } from './queries.ts';

/** In-memory cache of grants, so that userinfo and introspection need no query. */
export interface GrantStates {
  find(id: string): ApplicationGrant | undefined | Promise<ApplicationGrant | undefined>;
}

const MAX_CACHED = 20_000;

export function createGrantStates(db: Db, clock: Clock, bus: Bus): GrantStates {
  const cache = createCache({
    bus,
    load: (id) => findLiveGrant(db, id, clock.now()),
    topics: { grant: 'key', session: 'group', user: 'group', organization: 'group', applications: 'group' },
    groupsOf: ({ user_id, organization_id, session_id, application_id }: ApplicationGrant) => [
      user_id,
      organization_id,
      session_id,
      application_id,
    ],
    max: MAX_CACHED,
  });
  return {
    find(id) {
      const grant = cache.known(id);
      return grant && grant.expires_at > clock.now() ? grant : cache.load(id);
    },
  };
}

import type { Bus } from '../../platform/bus/bus.ts';
import { createCache } from '../../platform/bus/cache.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type ApplicationRow, listApplications } from './queries.ts';

/** In-memory copy of all applications, of which there are at most 200. */
export interface ApplicationStates {
  /** Returns undefined for an unknown, disabled or deleted application. */
  find(client_id: string): Promise<ApplicationRow | undefined>;
  /** Whether an enabled application of kind `spa` has a redirect URI on this origin. */
  isSpaOrigin(origin: string): Promise<boolean>;
}

/** The only key of the cache: all applications are one value. */
const ALL = 'all';

export function createApplicationStates(db: Db, bus: Bus): ApplicationStates {
  const cache = createCache({
    bus,
    load: async () => index((await listApplications(db)).filter(({ enabled }) => enabled)),
    topics: { applications: 'all' },
    max: 1,
  });
  return {
    find: async (client_id) => (await cache.find(ALL)).byClientId.get(client_id),
    isSpaOrigin: async (origin) => (await cache.find(ALL)).spaOrigins.has(origin),
  };
}

const index = (rows: readonly ApplicationRow[]) => ({
  byClientId: new Map(rows.map((row) => [row.client_id, row])),
  spaOrigins: new Set(
    rows
      .filter(({ kind }) => kind === 'spa')
      .flatMap(({ redirect_uris }) => redirect_uris.map((uri) => new URL(uri).origin)),
  ),
});

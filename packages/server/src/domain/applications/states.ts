import type { Bus } from '../../platform/bus/bus.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type ApplicationRow, listApplications } from './queries.ts';

/** In-memory copy of all applications, of which there are at most 200. */
export interface ApplicationStates {
  /** Returns undefined for an unknown, disabled or deleted application. */
  find(client_id: string): Promise<ApplicationRow | undefined>;
  /** Whether an enabled application of kind `spa` has a redirect URI on this origin. */
  isSpaOrigin(origin: string): Promise<boolean>;
}

interface Known {
  readonly byClientId: ReadonlyMap<string, ApplicationRow>;
  readonly spaOrigins: ReadonlySet<string>;
  /** When the copy expires, by the monotonic clock. */
  readonly until: number;
}

/** The copy expires after this time, so that a missed change event has an effect for at most a minute. */
const MAX_AGE_MS = 60_000;

export function createApplicationStates(db: Db, bus: Bus): ApplicationStates {
  let known: Known | undefined;
  // A change event resets `loading` too: the result of a running load may be stale, so it is used once and not kept.
  let loading: Promise<Known> | undefined;
  bus.subscribe('applications', () => {
    known = undefined;
    loading = undefined;
  });

  const load = (): Promise<Known> => {
    const reading = listApplications(db).then(
      (rows) => {
        const read = index(rows.filter(({ enabled }) => enabled));
        if (loading === reading) {
          loading = undefined;
          if (bus.isFresh()) known = read;
        }
        return read;
      },
      (error) => {
        if (loading === reading) loading = undefined;
        throw error;
      },
    );
    loading = reading;
    return reading;
  };

  const current = async (): Promise<Known> =>
    known && bus.isFresh() && known.until > performance.now() ? known : (loading ?? load());

  return {
    find: async (client_id) => (await current()).byClientId.get(client_id),
    isSpaOrigin: async (origin) => (await current()).spaOrigins.has(origin),
  };
}

const index = (rows: readonly ApplicationRow[]): Known => ({
  byClientId: new Map(rows.map((row) => [row.client_id, row])),
  spaOrigins: new Set(
    rows
      .filter(({ kind }) => kind === 'spa')
      .flatMap(({ redirect_uris }) => redirect_uris.map((uri) => new URL(uri).origin)),
  ),
  until: performance.now() + MAX_AGE_MS,
});

import type { Transport } from './call.ts';
import { failureOf, isGatehouseError, unreachable } from './gatehouse-error.ts';

/**
 * Renews the session; false when there is none. `seen` is the CSRF cookie the caller knew: when it has changed meanwhile, another tab was first, and
 * there is nothing left to do. Rejects when it is not known: the service could not be reached, or failed.
 */
export type Refresh = (seen: string | undefined) => Promise<boolean>;

const LOCK = 'gatehouse-refresh';
/** All tabs wait for the one whose turn it is, so no answer is waited for without end. */
const LONGEST = 30_000;
/** Where there are no locks: how long the answer to another tab may still be on its way. */
const PATIENCE = 2_000;
const STEP = 50;

interface Surroundings {
  readonly document?: { readonly cookie: string };
  readonly navigator?: {
    /** Only where a page came over https, or from the machine itself. */
    readonly locks?: { request<T>(name: string, work: () => Promise<T>): Promise<T> };
  };
}

const surroundings = globalThis as Surroundings;

/** The cookie that pages may read. It ends together with the access token, so its absence says that a refresh is due. */
export function csrfToken(): string | undefined {
  const pairs = surroundings.document?.cookie.split('; ') ?? [];
  return pairs.find((pair) => pair.startsWith('service_csrf='))?.slice('service_csrf='.length) || undefined;
}

const isNewer = (seen: string | undefined): boolean => csrfToken() !== undefined && csrfToken() !== seen;

/** A refresh token is good once: calls of one tab share a refresh, tabs of one browser take turns. */
export function createRefresh({ base, fetch }: Transport): Refresh {
  let underWay: Promise<boolean> | undefined;

  const ask = async (): Promise<boolean> => {
    const signal = AbortSignal.timeout(LONGEST);
    const answer = await fetch(`${base}/auth/refresh`, { method: 'POST', credentials: 'include', signal }).catch(
      (error) => {
        throw unreachable(error);
      },
    );
    if (answer.ok) return true;
    const failure = await failureOf(answer);
    if (isGatehouseError(failure, 'authentication_required')) return false;
    throw failure;
  };

  const attempt = async (seen: string | undefined): Promise<boolean> => {
    if (isNewer(seen)) return true;
    if (await ask()) return true;
    // The token was used by somebody who was a moment faster: their cookies are here by now, or will be.
    const patience = surroundings.navigator?.locks === undefined ? PATIENCE : 0;
    for (let waited = 0; waited < patience && !isNewer(seen); waited += STEP) {
      await new Promise((done) => setTimeout(done, STEP));
    }
    return isNewer(seen);
  };

  const inTurn = (work: () => Promise<boolean>): Promise<boolean> =>
    surroundings.navigator?.locks?.request(LOCK, work) ?? work();

  return (seen) => {
    underWay ??= inTurn(() => attempt(seen)).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

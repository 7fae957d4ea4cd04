import type { Outcome } from './credentials/store.ts';
import { failureOf, isGatehouseError, unreachable } from './gatehouse-error.ts';
import type { Transport } from './transport.ts';

/**
 * Renews the session; false when there is none. `seen` is what the caller knew: when it has changed meanwhile, somebody was first, and there is
 * nothing left to do. Rejects when it is not known: the service could not be reached, or failed.
 */
export type Refresh = (seen: string | undefined) => Promise<boolean>;

/** A refresh token is good once: the calls of a client share a refresh. */
export function createRefresh({ base, fetch, store }: Transport): Refresh {
  let underWay: Promise<boolean> | undefined;
  const { renewal } = store;
  if (!renewal) return async () => false;

  const ask = async (signal: AbortSignal): Promise<Outcome> => {
    if (!renewal.isPossible()) return 'over';
    const lost = (error: unknown): never => {
      throw unreachable(error);
    };
    const init = { ...store.init, method: 'POST', headers: renewal.headers(), signal };
    const answer = await fetch(`${base}/auth/refresh`, init).catch(lost);
    if (answer.ok) {
      await store.keep(answer, await answer.json().catch(lost));
      return 'renewed';
    }
    await store.keep(answer);
    const failure = await failureOf(answer);
    if (!isGatehouseError(failure, 'authentication_required')) throw failure;
    // By this the service tells a token that was used a moment ago from a session that is over.
    return failure.retry_after === undefined ? 'over' : 'outrun';
  };

  const isNewer = (seen: string | undefined): boolean => store.seen() !== undefined && store.seen() !== seen;

  const attempt = async (seen: string | undefined, signal: AbortSignal): Promise<boolean> => {
    if (isNewer(seen)) return true;
    const first = await ask(signal);
    const outcome = first === 'outrun' ? await renewal.outrun(seen, () => ask(signal)) : first;
    if (outcome === 'renewed') return true;
    // The session goes on, and its newer cookie has not come here yet: nobody is signed out by that.
    if (outcome === 'outrun') throw unreachable(new Error('another page is renewing the session'));
    if (store.seen() === seen) await store.forget();
    return false;
  };

  return (seen) => {
    underWay ??= store
      .runExclusive((signal) => attempt(seen, signal))
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
}

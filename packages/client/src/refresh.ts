import type { Outcome } from './credentials/store.ts';
import { failureOf, isGatehouseError, unreachable } from './gatehouse-error.ts';
import type { Transport } from './transport.ts';

/**
 * Renews the session. Resolves with false if there is no session. `seen` is the caller's last `store.seen()`: if it has
 * changed, another request has already renewed the session. Rejects if the service cannot be reached or fails.
 */
export type Refresh = (seen: string | undefined) => Promise<boolean>;

/** All calls of a client share one refresh, because a refresh token is single-use. */
export function createRefresh({ base, fetch, store }: Transport): Refresh {
  let inFlight: Promise<boolean> | undefined;
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
    // The service sends Retry-After for a token that was used a moment ago, not for a session that has ended.
    return failure.retry_after === undefined ? 'over' : 'superseded';
  };

  const isNewer = (seen: string | undefined): boolean => store.seen() !== undefined && store.seen() !== seen;

  const attempt = async (seen: string | undefined, signal: AbortSignal): Promise<boolean> => {
    if (isNewer(seen)) return true;
    const first = await ask(signal);
    const outcome = first === 'superseded' ? await renewal.superseded(seen, () => ask(signal)) : first;
    if (outcome === 'renewed') return true;
    // The session is active, but its new cookie has not arrived here yet: do not sign the user out.
    if (outcome === 'superseded') throw unreachable(new Error('another page is renewing the session'));
    if (store.seen() === seen) await store.forget();
    return false;
  };

  return (seen) => {
    inFlight ??= store
      .runExclusive((signal) => attempt(seen, signal))
      .finally(() => {
        inFlight = undefined;
      });
    return inFlight;
  };
}

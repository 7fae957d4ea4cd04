import type { Outcome } from './credentials/store.ts';
import { failureOf, isGatehouseError, unreachable } from './gatehouse-error.ts';
import type { Transport } from './transport.ts';

/**
 * Renews the session. Resolves with false if there is no session. `version` is the caller's last `store.version()`: if
 * it has changed, another request has already renewed the session. Rejects if the service cannot be reached or fails.
 */
export type Refresh = (version: string | undefined) => Promise<boolean>;

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
      await store.store(answer, await answer.json().catch(lost));
      return 'renewed';
    }
    await store.store(answer);
    const failure = await failureOf(answer);
    if (!isGatehouseError(failure, 'authentication_required')) throw failure;
    // The service sends Retry-After for a token that was used a moment ago, not for a session that has ended.
    return failure.retry_after === undefined ? 'over' : 'superseded';
  };

  const isNewer = (version: string | undefined): boolean =>
    store.version() !== undefined && store.version() !== version;

  const attempt = async (version: string | undefined, signal: AbortSignal): Promise<boolean> => {
    if (isNewer(version)) return true;
    const first = await ask(signal);
    const outcome = first === 'superseded' ? await renewal.superseded(version, () => ask(signal)) : first;
    if (outcome === 'renewed') return true;
    // The session is active, but its new cookie has not arrived here yet: do not sign the user out.
    if (outcome === 'superseded') throw unreachable(new Error('another page is renewing the session'));
    if (store.version() === version) await store.clear();
    return false;
  };

  return (version) => {
    inFlight ??= store
      .runExclusive((signal) => attempt(version, signal))
      .finally(() => {
        inFlight = undefined;
      });
    return inFlight;
  };
}

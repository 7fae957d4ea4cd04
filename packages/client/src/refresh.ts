import type { Transport } from './call.ts';
import { failureOf, isGatehouseError, unreachable } from './gatehouse-error.ts';

/**
 * Renews the session; false when there is none. `seen` is what the caller knew: when it has changed meanwhile, somebody was first, and there is
 * nothing left to do. Rejects when it is not known: the service could not be reached, or failed.
 */
export type Refresh = (seen: string | undefined) => Promise<boolean>;

/** All tabs wait for the one whose turn it is, so no answer is waited for without end. */
const LONGEST = 30_000;

/** A refresh token is good once: the calls of a client share a refresh. */
export function createRefresh({ base, fetch, holder }: Transport): Refresh {
  let underWay: Promise<boolean> | undefined;
  const { renewal } = holder;
  if (!renewal) return async () => false;

  const ask = async (): Promise<'renewed' | 'outrun' | 'over'> => {
    if (!renewal.isPossible()) return 'over';
    const lost = (error: unknown): never => {
      throw unreachable(error);
    };
    const init = { ...holder.init, method: 'POST', headers: renewal.headers(), signal: AbortSignal.timeout(LONGEST) };
    const answer = await fetch(`${base}/auth/refresh`, init).catch(lost);
    if (answer.ok) {
      await holder.keep(answer, await answer.json().catch(lost));
      return 'renewed';
    }
    await holder.keep(answer);
    const failure = await failureOf(answer);
    if (!isGatehouseError(failure, 'authentication_required')) throw failure;
    // By this the service tells a token that was used a moment ago from a session that is over.
    return failure.retry_after === undefined ? 'over' : 'outrun';
  };

  const isNewer = (seen: string | undefined): boolean => holder.seen() !== undefined && holder.seen() !== seen;

  const goesOn = async (seen: string | undefined): Promise<boolean> => {
    if (isNewer(seen)) return true;
    const outcome = await ask();
    if (outcome !== 'outrun') return outcome === 'renewed';
    return renewal.outrun(seen, async () => (await ask()) === 'renewed');
  };

  const attempt = async (seen: string | undefined): Promise<boolean> => {
    if (await goesOn(seen)) return true;
    if (holder.seen() === seen) await holder.forget();
    return false;
  };

  return (seen) => {
    underWay ??= holder
      .inTurn(() => attempt(seen))
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
}

import { failureOf, unreachable } from '../gatehouse-error.ts';
import { originOf } from '../path.ts';
import type { Transport } from '../transport.ts';
import type { Readiness } from '../wire.ts';

/** Endpoints at the base address, outside the prefix of the API. They need no session. */
export const operationCalls = ({ base, fetch }: Transport) => ({
  /** Returns whether the service is ready. If it is not, the promise still resolves, and `checks` shows what fails. */
  readiness: async (): Promise<Readiness> => {
    const answer = await fetch(`${originOf(base)}/readyz`).catch((error) => {
      throw (error as Error).name === 'AbortError' ? error : unreachable(error);
    });
    const body = (await answer
      .clone()
      .json()
      .catch(() => undefined)) as Readiness | undefined;
    if (body?.checks) return body;
    throw await failureOf(answer);
  },
});

import { failureOf, unreachable } from '../gatehouse-error.ts';
import { originOf } from '../path.ts';
import type { Transport } from '../transport.ts';
import type { Readiness } from '../wire.ts';

/** They lie at the base address, outside the prefix of the API, and ask for no session. */
export const operationCalls = ({ base, fetch }: Transport) => ({
  /** Whether the service can do its work. That it cannot is an answer as well. */
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

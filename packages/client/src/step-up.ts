import { isGatehouseError } from './gatehouse-error.ts';
import type { StepUp } from './wire.ts';

/** A new sign-in may turn out to need the second factor as well, so the user is asked at most twice. */
const MAX_QUESTIONS = 2;

/**
 * Runs `work`. If the service rejects it with `mfa_required`, calls `ask` with what is needed, and runs `work` again
 * once `ask` resolves. To cancel, let `ask` reject: `withStepUp` rejects with the same error.
 *
 * @example
 * ```ts
 * import { createClient, withStepUp } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const onClick = (code: string) =>
 *   withStepUp(
 *     () => client.account.changeEmail({ email: 'ada@example.org', password: 'correct horse battery staple' }),
 *     async (needs) => {
 *       if (needs !== 'second_factor') throw new Error('sign in again first');
 *       await client.mfa.verify({ code });
 *     },
 *   );
 * ```
 */
export async function withStepUp<T>(work: () => Promise<T>, ask: (needs: StepUp) => Promise<void>): Promise<T> {
  for (let asked = 0; ; asked += 1) {
    try {
      return await work();
    } catch (error) {
      const needs = isGatehouseError(error, 'mfa_required') ? error.step_up : undefined;
      if (needs === undefined || asked === MAX_QUESTIONS) throw error;
      await ask(needs);
    }
  }
}

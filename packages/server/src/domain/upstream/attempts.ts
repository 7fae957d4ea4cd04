import { violatedConstraint } from '../../platform/db/errors.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { type About, Failed } from './failure.ts';

const ATTEMPTS = 3;

/** Thrown if a concurrent request has changed what was read. The sign-in is then repeated. */
export class Superseded extends Error {}

/** Constraints that are violated if a concurrent sign-in has created or linked the same account. */
const CONCURRENT: ReadonlySet<string | undefined> = new Set([
  'identities_subject_key',
  'sso_identities_connection_id_subject_key',
  'sso_identities_connection_id_user_id_key',
  'users_email_key',
]);

const isSuperseded = (error: unknown): boolean =>
  error instanceof Superseded || CONCURRENT.has(violatedConstraint(error));

/** Repeats the sign-in if a concurrent request has changed what it read. `attempt` counts from 0. */
export async function repeatSuperseded<T>(signIn: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await signIn(attempt);
    } catch (error) {
      if (!isSuperseded(error)) throw error;
    }
  }
  throw new Failed('account_refused');
}

/** Returns the outcome of `completeSignIn`. Throws `Failed` if the account may not sign in; the refusal is audited. */
export async function completed<T>(completion: Promise<T | 'too late'>, about: About): Promise<T> {
  const outcome = await completion.catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'forbidden')) throw error;
    throw new Failed('account_refused', about, { refusal: error, audited: true });
  });
  if (outcome === 'too late') throw new Superseded();
  return outcome;
}

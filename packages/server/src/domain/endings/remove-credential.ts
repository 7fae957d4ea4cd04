import type { Tx } from '../../platform/db/connect.ts';
import { notSignedIn, ServiceError } from '../kernel/service-error.ts';
import { hasCredential } from '../unproven/queries.ts';
import { lockActiveUser } from '../users/queries.ts';

/**
 * Runs `revoke`, which removes a credential of the user, and throws 409 if none is left afterwards. Locks the user's
 * row first: of two concurrent requests that each remove one of the last two credentials, the second one fails.
 */
export async function removeCredential<T>(tx: Tx, user_id: string, revoke: () => Promise<T>): Promise<T> {
  if (!(await lockActiveUser(tx, user_id))) throw notSignedIn();
  const revoked = await revoke();
  if (revoked && !(await hasCredential(tx, user_id))) throw lastCredential();
  return revoked;
}

const lastCredential = () =>
  new ServiceError(
    'conflict',
    'this is your only way to sign in; first set a password, add a passkey or link an identity',
  );

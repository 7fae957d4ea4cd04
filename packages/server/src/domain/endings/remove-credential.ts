import type { Tx } from '../../platform/db/connect.ts';
import type { RelyingParty } from '../kernel/relying-party.ts';
import { notSignedIn, ServiceError } from '../kernel/service-error.ts';
import { hasCredential } from '../unproven/queries.ts';
import { lockActiveUser } from '../users/queries.ts';

interface Owner {
  readonly user_id: string;
  readonly relyingParty: RelyingParty;
}

/**
 * Runs `revoke`, which removes a credential of the user, and throws 409 if it was usable and none is left afterwards.
 * Locks the user's row first: of two concurrent requests that each remove one of the last two credentials, the second
 * one fails.
 */
export async function removeCredential<T extends object>(
  tx: Tx,
  { user_id, relyingParty }: Owner,
  revoke: () => Promise<T | undefined>,
): Promise<T | undefined> {
  if (!(await lockActiveUser(tx, user_id))) throw notSignedIn();
  const revoked = await revoke();
  const wasUsable = revoked && !('usable' in revoked && revoked.usable === false);
  if (wasUsable && !(await hasCredential(tx, user_id, relyingParty))) throw lastCredential();
  return revoked;
}

const lastCredential = () =>
  new ServiceError(
    'conflict',
    'this is your only way to sign in; first set a password, add a passkey or link an identity',
  );

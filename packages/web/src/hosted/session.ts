import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession } from '@gatehouse/contract';
import { client } from '../ui/client.ts';

/** Returns the current session; undefined if no user is signed in. */
export const findSession = (): Promise<CurrentSession | undefined> =>
  client.session.current().catch((error: unknown) => {
    if (isGatehouseError(error, 'authentication_required')) return undefined;
    throw error;
  });

import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession } from '@gatehouse/contract';
import { forgetSession, mayHaveSession, noteSession } from '../ui/session-hint.ts';
import { client } from './client.ts';

export const findSession = (): Promise<CurrentSession | undefined> =>
  client.session.current().then(
    (session) => {
      noteSession();
      return session;
    },
    (error: unknown) => {
      if (!isGatehouseError(error, 'authentication_required')) throw error;
      forgetSession();
      return undefined;
    },
  );

/** For pages that mostly anonymous visitors open: does not ask the service if this browser has never had a session. */
export const findNotedSession = async (): Promise<CurrentSession | undefined> =>
  mayHaveSession() ? findSession() : undefined;

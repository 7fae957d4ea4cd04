import { isGatehouseError } from '@gatehouse/client';
import type { SessionUser } from '@gatehouse/contract';
import { useEffect, useRef } from 'react';
import { client } from '../client.ts';
import { useResultText } from '../results/text.ts';
import { ATTEMPTS, type PendingSignIn } from './pending-sign-in.ts';

interface Options {
  readonly pending: PendingSignIn;
  readonly isTrusted: boolean;
  readonly onSignedIn: (user: SessionUser) => Promise<void>;
  readonly onEnd: (note: string) => void;
}

/**
 * Sends the second factor. A pending sign-in lasts five minutes and allows five attempts. The errors of the service do
 * not say that the pending sign-in has ended, so the page counts too and restarts the sign-in.
 */
export function useChallenge({ pending, isTrusted, onSignedIn, onEnd }: Options) {
  const t = useResultText().mfa;
  const wrong = useRef(0);
  const latest = useRef({ onEnd, t });
  latest.current = { onEnd, t };

  useEffect(() => {
    const timer = setTimeout(() => latest.current.onEnd(latest.current.t.expired), pending.ends - Date.now());
    return () => clearTimeout(timer);
  }, [pending]);

  return async (answer: { code: string } | { recovery_code: string }): Promise<void> => {
    let user: SessionUser;
    try {
      ({ user } = await client.signIn.challenge({ mfa_token: pending.token, ...answer }));
    } catch (error) {
      const isWrong = isGatehouseError(error, 'authentication_required');
      if (!isWrong && !isGatehouseError(error, 'rate_limited')) throw error;
      wrong.current += 1;
      if (Date.now() >= pending.ends) return onEnd(t.expired);
      if (wrong.current >= ATTEMPTS) return onEnd(t.locked);
      throw error;
    }
    // The user is signed in even if the browser cannot be added to the trusted browsers.
    if (isTrusted) await client.trustedBrowsers.add().catch(() => undefined);
    return onSignedIn(user);
  };
}

import { isGatehouseError } from '@gatehouse/client';
import type { SessionUser } from '@gatehouse/contract';
import { useEffect, useRef } from 'react';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';
import { ATTEMPTS, type Half } from './half.ts';

interface Options {
  readonly half: Half;
  readonly isTrusted: boolean;
  readonly onSignedIn: (user: SessionUser) => Promise<void>;
  readonly onEnd: (note: string) => void;
}

/**
 * Answers the question for a second factor. Half a sign-in lasts five minutes and bears five wrong codes; the service's refusals do not tell these from a mere slip,
 * so the page counts along, and says so before somebody types a code in vain.
 */
export function useChallenge({ half, isTrusted, onSignedIn, onEnd }: Options) {
  const t = useText().mfa;
  const wrong = useRef(0);
  const latest = useRef({ onEnd, t });
  latest.current = { onEnd, t };

  useEffect(() => {
    const timer = setTimeout(() => latest.current.onEnd(latest.current.t.expired), half.ends - Date.now());
    return () => clearTimeout(timer);
  }, [half]);

  return async (answer: { code: string } | { recovery_code: string }): Promise<void> => {
    let user: SessionUser;
    try {
      ({ user } = await client.signIn.challenge({ mfa_token: half.token, ...answer }));
    } catch (error) {
      const isWrong = isGatehouseError(error, 'authentication_required');
      if (!isWrong && !isGatehouseError(error, 'rate_limited')) throw error;
      wrong.current += 1;
      if (Date.now() >= half.ends) return onEnd(t.expired);
      if (wrong.current >= ATTEMPTS) return onEnd(t.locked);
      throw error;
    }
    // They are signed in: whether or not this works is no reason to keep them here.
    if (isTrusted) await client.trustedBrowsers.add().catch(() => undefined);
    return onSignedIn(user);
  };
}

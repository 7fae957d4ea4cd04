import type { LoginResponse } from '@gatehouse/contract';
import { useState } from 'react';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { offersPasskeys } from '../sign-in/use-passkey.ts';
import { leadingTo, leaveFor, onwardTo, readTarget } from '../target.ts';
import { MfaStep } from './MfaStep.tsx';
import { newPendingSignIn } from './pending-sign-in.ts';

const given = new URLSearchParams(location.hash.slice(1));
const token = given.get('mfa_token');
const target = readTarget(given);
// Removes the token from the URL; it is only kept in memory.
history.replaceState(history.state, '', location.pathname);
const pending = token ? newPendingSignIn(token) : undefined;

/** Returns whether to offer a passkey; false if the sign-in options cannot be loaded. */
const load = async () => offersPasskeys(pending && (await client.signIn.options().catch(() => undefined)));

/** The second factor of a third-party sign-in, which a trusted browser cannot skip, so trust is not offered. */
export function Page() {
  const t = useResultText().mfa;
  const [ended, setEnded] = useState<string>();
  const signIn = leadingTo(target, '/sign-in');
  const end = (note?: string) => {
    if (note === undefined) void leaveFor(signIn);
    else setEnded(note);
  };
  // A passkey counts as both factors, so another factor is never required after it.
  const finish = (answer: LoginResponse) =>
    leaveFor(answer.status === 'success' ? onwardTo(target, answer.user) : signIn);
  if (pending && ended === undefined) {
    return (
      <Loaded load={load}>
        {(hasPasskeys) => (
          <MfaStep
            pending={pending}
            canTrust={false}
            hasPasskeys={hasPasskeys}
            onAnswer={finish}
            onSignedIn={(user) => leaveFor(onwardTo(target, user))}
            onEnd={end}
          />
        )}
      </Loaded>
    );
  }
  return (
    <Frame title={t.againTitle} lead={ended ?? t.nothing}>
      <ButtonLink href={signIn}>{t.startAgain}</ButtonLink>
    </Frame>
  );
}

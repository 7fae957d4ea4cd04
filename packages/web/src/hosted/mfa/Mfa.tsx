import { Button } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { leadingTo, leaveFor, readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { MfaStep } from './MfaStep.tsx';
import { newPendingSignIn } from './pending-sign-in.ts';

const given = new URLSearchParams(location.hash.slice(1));
const token = given.get('mfa_token');
const target = readTarget(given);
// Removes the token from the URL; it is only kept in memory.
history.replaceState(history.state, '', location.pathname);
const pending = token ? newPendingSignIn(token) : undefined;

/** The second factor of a third-party sign-in, which a trusted browser cannot skip, so trust is not offered. */
export function Page() {
  const t = useText().mfa;
  const [ended, setEnded] = useState<string>();
  const signIn = leadingTo(target, '/sign-in');
  const end = (note?: string) => {
    if (note === undefined) void leaveFor(signIn);
    else setEnded(note);
  };
  if (pending && ended === undefined)
    return <MfaStep pending={pending} canTrust={false} onSignedIn={() => leaveFor(target)} onEnd={end} />;
  return (
    <Frame title={t.againTitle} lead={ended ?? t.nothing}>
      <Button component="a" href={signIn}>
        {t.startAgain}
      </Button>
    </Frame>
  );
}

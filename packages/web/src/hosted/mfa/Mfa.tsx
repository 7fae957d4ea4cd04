import { Button } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { leadingTo, leaveFor, readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { freshHalf } from './half.ts';
import { MfaStep } from './MfaStep.tsx';

const given = new URLSearchParams(location.hash.slice(1));
const token = given.get('mfa_token');
const target = readTarget(given);
// Kept in memory alone.
history.replaceState(history.state, '', location.pathname);
const half = token ? freshHalf(token) : undefined;

/** The second half of a third-party sign-in. Trust in a browser is never asked there, so none is offered. */
export function Page() {
  const t = useText().mfa;
  const [ended, setEnded] = useState<string>();
  const signIn = leadingTo(target, '/sign-in');
  const end = (note?: string) => {
    if (note === undefined) void leaveFor(signIn);
    else setEnded(note);
  };
  if (half && ended === undefined)
    return <MfaStep half={half} canTrust={false} onSignedIn={() => leaveFor(target)} onEnd={end} />;
  return (
    <Frame title={t.againTitle} lead={ended ?? t.nothing}>
      <Button component="a" href={signIn}>
        {t.startAgain}
      </Button>
    </Frame>
  );
}

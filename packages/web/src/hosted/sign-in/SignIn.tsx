import { lazy } from 'react';
import { client } from '../client.ts';
import { findInteraction, interactionIn, interactionTarget } from '../interaction/find.ts';
import { keep, readKept } from '../kept.ts';
import { Loaded } from '../Loaded.tsx';
import { hasUnproven, isUnasked } from '../reclaim/unasked.ts';
import { SignedInAlready } from '../SignedInAlready.tsx';
import { findNotedSession } from '../session.ts';
import { readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { FailureNote } from './FailureNote.tsx';
import { Steps } from './Steps.tsx';

const given = new URLSearchParams(location.search);
/** Set if an application has sent the user here to sign in. */
const interactionId = interactionIn(given);
const target = interactionId === undefined ? readTarget(given) : interactionTarget(interactionId);
const failure = given.get('error');

const InteractionEnded = lazy(() => import('../interaction/Ended.tsx').then(({ Ended }) => ({ default: Ended })));

const load = async () => {
  const [options, session, interaction] = await Promise.all([
    client.signIn.options(),
    findNotedSession(),
    interactionId === undefined ? undefined : findInteraction(interactionId),
  ]);
  const hint = interaction?.login_hint;
  if (hint && readKept().email === undefined) keep({ email: hint });
  return { options, session, interaction };
};

export function Page() {
  return <Loaded load={load}>{(found, again) => <Visit {...found} onLeft={again} />}</Loaded>;
}

function Visit({ options, session, interaction, onLeft }: Awaited<ReturnType<typeof load>> & { onLeft: () => void }) {
  const t = useText();
  const unasked = session && isUnasked() && hasUnproven(session.user) ? session.user : undefined;
  if (interactionId !== undefined && !interaction) return <InteractionEnded />;
  if (session && !unasked && !interaction?.reauthenticate) {
    return (
      <SignedInAlready session={session} target={target} leave={t.here.somebodyElse} onLeft={onLeft}>
        <FailureNote failure={failure} />
      </SignedInAlready>
    );
  }
  return (
    <Steps
      options={options}
      target={target}
      failure={failure}
      unasked={unasked}
      application={interaction?.application?.name}
    />
  );
}

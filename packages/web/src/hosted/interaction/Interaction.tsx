import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession, Interaction } from '@gatehouse/contract';
import { lazy, useState } from 'react';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { findSession } from '../session.ts';
import { leaveFor } from '../target.ts';
import { useText as useHostedText } from '../text.ts';
import { Consent } from './Consent.tsx';
import { Ended } from './Ended.tsx';
import { findInteraction, interactionIn, isEnded } from './find.ts';
import { Organizations } from './Organizations.tsx';
import type { StepProps } from './step-props.ts';
import { useText } from './text.ts';

// Loaded on demand: few requests ask for a second factor.
const SecondFactor = lazy(() => import('./SecondFactor.tsx').then((module) => ({ default: module.SecondFactor })));

const id = interactionIn(new URLSearchParams(location.search));

interface Found {
  readonly interaction: Interaction;
  /** Absent if the user has to sign in first. */
  readonly session?: CurrentSession | undefined;
}

/** Loads the request. A request that only requires a sign-in continues at once if the user is signed in. */
async function load(): Promise<Found | undefined> {
  const interaction = id === undefined ? undefined : await findInteraction(id);
  if (!interaction) return undefined;
  const session = await findSession();
  if (!session || interaction.kind !== 'sign_in') return { interaction, session };
  try {
    const { redirect_to } = await client.interactions.decide(interaction.id, { decision: 'allow' });
    return await leaveFor(redirect_to ?? '/');
  } catch (error) {
    if (isEnded(error)) return undefined;
    // The session is older than the request, which asks for a new sign-in.
    if (isGatehouseError(error, 'authentication_required')) return { interaction };
    throw error;
  }
}

export function Page() {
  const [isOver, setOver] = useState(false);
  return (
    <Loaded load={load}>
      {(found) => (!found || isOver ? <Ended /> : <Step {...found} onEnded={() => setOver(true)} />)}
    </Loaded>
  );
}

function Step({ interaction, session, onEnded }: Found & { onEnded: () => void }) {
  if (!session || interaction.kind === 'sign_in') return <SignInAgain interaction={interaction} />;
  const decide: StepProps['decide'] = async (decision, organization_id) => {
    try {
      const body = { decision, ...(organization_id !== undefined && { organization_id }) };
      const { redirect_to } = await client.interactions.decide(interaction.id, body);
      return await leaveFor(redirect_to ?? '/');
    } catch (error) {
      if (!isEnded(error)) throw error;
      onEnded();
    }
  };
  const props = { interaction, session, decide };
  if (interaction.kind === 'mfa') return <SecondFactor {...props} />;
  return interaction.kind === 'organization' ? <Organizations {...props} /> : <Consent {...props} />;
}

function SignInAgain({ interaction: { id, application } }: { interaction: Interaction }) {
  const t = useText();
  const { toSignIn } = useHostedText();
  return (
    <Frame title={t.again.title} lead={t.again.lead(application?.name ?? t.fallbackName)}>
      <ButtonLink href={`/sign-in?${new URLSearchParams({ interaction: id })}`}>{toSignIn}</ButtonLink>
    </Frame>
  );
}

import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession, SignInOptions, User } from '@gatehouse/contract';
import { lazy, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { forgetSession } from '../../ui/session-hint.ts';
import { useAction } from '../../ui/use-action.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { Button, ButtonLink } from '../parts/Button.tsx';
import { Stack } from '../parts/Stack.tsx';
import { hasUnproven } from '../reclaim/unasked.ts';
import { useResultText } from '../results/text.ts';
import { findNotedSession } from '../session.ts';
import { ACCOUNT, leadingTo, leaveFor, readTarget } from '../target.ts';
import { Enrol } from './Enrol.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { Verify } from './Verify.tsx';

// Loaded on demand: few accounts have credentials to ask about.
const Reclaim = lazy(() => import('../reclaim/Reclaim.tsx').then(({ Reclaim }) => ({ default: Reclaim })));

const target = readTarget(new URLSearchParams(location.search));

interface Found {
  readonly session: CurrentSession;
  /** Set if the session is restricted. */
  readonly me?: User;
  /** Set if the session is not restricted and its account has unproven credentials. */
  readonly options?: SignInOptions;
}

/** Returns the session; leaves the page if there is nothing to do in it. */
async function load(): Promise<Found> {
  const session = await findNotedSession();
  if (!session) return leaveFor(leadingTo(target, '/sign-in'));
  if (session.user.extensions.restricted) return { session, me: await client.account.read() };
  return hasUnproven(session.user) ? { session, options: await client.signIn.options() } : leaveFor(target);
}

/**
 * Sets up or verifies the second factor that the policy of the organization requires. Then asks about unproven
 * credentials, which a restricted session cannot remove, and continues to the target.
 */
export function Page() {
  const t = useResultText().mfa;
  const [ended, setEnded] = useState<string>();
  if (ended !== undefined) {
    return (
      <Frame title={t.againTitle} lead={ended}>
        <ButtonLink href={leadingTo(target, '/sign-in')}>{t.startAgain}</ButtonLink>
      </Frame>
    );
  }
  return (
    <Loaded load={load}>
      {({ session, me, options }, again) => (
        <>
          {me && <Required session={session} me={me} onDone={again} />}
          {options && <Reclaim user={session.user} options={options} target={target} onRestart={setEnded} />}
        </>
      )}
    </Loaded>
  );
}

interface RequiredProps {
  readonly session: CurrentSession;
  readonly me: User;
  readonly onDone: () => void;
}

function Required({ session: { user }, me, onDone }: RequiredProps) {
  const t = useResultText().secondFactor;
  const [codes, setCodes] = useState<readonly string[]>();
  const { organization_id } = user;
  const home = me.memberships.find((membership) => membership.organization_id === organization_id);
  const name = home?.organization_name ?? '';
  if (codes) {
    return (
      <Frame title={t.codesTitle} lead={t.codesLead}>
        <RecoveryCodes codes={codes} onKept={onDone} />
      </Frame>
    );
  }
  const isNew = user.extensions.restricted === 'mfa_enrollment';
  return (
    <Frame title={isNew ? t.enrolTitle : t.verifyTitle} lead={(isNew ? t.enrolLead : t.verifyLead)(name)}>
      {isNew ? <Enrol onEnabled={setCodes} /> : <Verify onVerified={onDone} />}
      <OtherWays others={me.memberships.filter((membership) => membership.organization_id !== organization_id)} />
    </Frame>
  );
}

/** Buttons that switch to the user's other organizations, and one that signs out. */
function OtherWays({ others }: { others: User['memberships'] }) {
  const t = useResultText().secondFactor;
  const enter = useAction(async (organization_id: string) => {
    const { user } = await client.session.switchOrganization(organization_id);
    await leaveFor(user.extensions.restricted || hasUnproven(user) ? '/second-factor' : ACCOUNT);
  });
  const signOut = useAction(async () => {
    await client.session.signOut();
    forgetSession();
    await leaveFor('/sign-in');
  });
  const isRefused = isGatehouseError(enter.error, 'forbidden');
  return (
    <Stack gap="small">
      <ErrorNote error={enter.error ?? signOut.error} {...(isRefused && { sentences: { forbidden: t.refused } })} />
      {others.map(({ organization_id, organization_name }) => (
        <Button
          key={organization_id}
          variant="subtle"
          disabled={enter.busy}
          onClick={() => void enter.run(organization_id)}
        >
          {t.enter(organization_name)}
        </Button>
      ))}
      <Button variant="subtle" loading={signOut.busy} onClick={() => void signOut.run()}>
        {t.signOut}
      </Button>
    </Stack>
  );
}

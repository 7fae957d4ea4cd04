import { isGatehouseError } from '@gatehouse/client';
import type { CurrentSession, User } from '@gatehouse/contract';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { forgetSession } from '../../ui/session-hint.ts';
import { useAction } from '../../ui/use-action.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { useMoreText } from '../more-text.ts';
import { Button } from '../parts/Button.tsx';
import { Stack } from '../parts/Stack.tsx';
import { findNotedSession } from '../session.ts';
import { ACCOUNT, leadingTo, leaveFor, readTarget } from '../target.ts';
import { Enrol } from './Enrol.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { Verify } from './Verify.tsx';

const target = readTarget(new URLSearchParams(location.search));

/** Returns the restricted session; leaves the page if there is no session or it is not restricted. */
async function load(): Promise<{ session: CurrentSession; me: User }> {
  const session = await findNotedSession();
  if (!session) return leaveFor(leadingTo(target, '/sign-in'));
  if (!session.user.extensions.restricted) return leaveFor(target);
  return { session, me: await client.account.read() };
}

/** Sets up or verifies the second factor that the policy of the organization requires, then continues to the target. */
export function Page() {
  return <Loaded load={load}>{(found) => <Required {...found} />}</Loaded>;
}

function Required({ session: { user }, me }: { session: CurrentSession; me: User }) {
  const t = useMoreText().secondFactor;
  const [codes, setCodes] = useState<readonly string[]>();
  const { organization_id } = user;
  const home = me.memberships.find((membership) => membership.organization_id === organization_id);
  const name = home?.organization_name ?? '';
  if (codes) {
    return (
      <Frame title={t.codesTitle} lead={t.codesLead}>
        <RecoveryCodes codes={codes} onKept={() => leaveFor(target)} />
      </Frame>
    );
  }
  const isNew = user.extensions.restricted === 'mfa_enrollment';
  return (
    <Frame title={isNew ? t.enrolTitle : t.verifyTitle} lead={(isNew ? t.enrolLead : t.verifyLead)(name)}>
      {isNew ? <Enrol onEnabled={setCodes} /> : <Verify onVerified={() => leaveFor(target)} />}
      <OtherWays others={me.memberships.filter((membership) => membership.organization_id !== organization_id)} />
    </Frame>
  );
}

/** Buttons that switch to the user's other organizations, and one that signs out. */
function OtherWays({ others }: { others: User['memberships'] }) {
  const t = useMoreText().secondFactor;
  const enter = useAction(async (organization_id: string) => {
    const { user } = await client.session.switchOrganization(organization_id);
    await leaveFor(user.extensions.restricted ? '/second-factor' : ACCOUNT);
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

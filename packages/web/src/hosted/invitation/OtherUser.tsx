import { Button, Text } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import type { Offer } from './find.ts';
import { InvitationFrame } from './InvitationFrame.tsx';

interface Props {
  readonly offer: Offer;
  readonly onLeft: () => void;
}

/** For a user who is signed in with another address than the invited one. */
export function OtherUser({ offer: { invitation, session }, onLeft }: Props) {
  const t = useText().invitation;
  const leave = useAction(async () => {
    await client.session.signOut();
    onLeft();
  });
  return (
    <InvitationFrame invitation={invitation}>
      <Text size="sm">{t.forAnother(invitation.email, session?.user.email ?? '')}</Text>
      <ErrorNote error={leave.error} />
      <Button loading={leave.busy} onClick={() => void leave.run()}>
        {t.signOut}
      </Button>
      <Button component="a" href={ACCOUNT} variant="default">
        {t.stay}
      </Button>
    </InvitationFrame>
  );
}

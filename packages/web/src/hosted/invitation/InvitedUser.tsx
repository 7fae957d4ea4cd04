import { isGatehouseError } from '@gatehouse/client';
import { Anchor, Button, Text } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote, Note } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';
import { type Ending, type Offer, whyOver } from './find.ts';
import { InvitationFrame } from './InvitationFrame.tsx';

interface Props {
  readonly offer: Offer;
  readonly onEnd: (ending: Ending) => void;
  /** Called if the session has ended meanwhile. */
  readonly onOutdated: () => void;
}

/** For a user who is signed in with the invited address. */
export function InvitedUser({ offer: { token, invitation }, onEnd, onOutdated }: Props) {
  const t = useText();
  const accept = useAction(async () => {
    try {
      const answer = await client.signIn.acceptInvitation({ token });
      const joined = answer.status === 'accepted' ? answer.organization_id : answer.user.organization_id;
      onEnd({ joined, isSignedIn: true });
    } catch (error) {
      const over = whyOver(error);
      if (over !== undefined) return onEnd(over);
      if (isGatehouseError(error, 'authentication_required')) return onOutdated();
      throw error;
    }
  });
  return (
    <InvitationFrame invitation={invitation} below={<Anchor href={ACCOUNT}>{t.notNow}</Anchor>}>
      <Text size="sm">{t.here.as(invitation.email)}</Text>
      {isGatehouseError(accept.error, 'forbidden') ? (
        <Note>
          {t.invitation.resetFirst} <Anchor href="/forgot-password">{t.forgot.title}</Anchor>
        </Note>
      ) : (
        <ErrorNote error={accept.error} />
      )}
      <Button loading={accept.busy} onClick={() => void accept.run()}>
        {t.invitation.accept}
      </Button>
    </InvitationFrame>
  );
}

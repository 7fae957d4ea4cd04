import { Button } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Frame } from '../Frame.tsx';
import { ACCOUNT, leaveFor } from '../target.ts';
import { useText } from '../text.ts';

interface Props {
  /** The organization's id. */
  readonly joined: string;
  readonly name: string;
  readonly isSignedIn: boolean;
}

/** The user is a member now. The session still belongs to its previous organization. */
export function Joined({ joined, name, isSignedIn }: Props) {
  const t = useText();
  const enter = useAction(async () => {
    await client.session.switchOrganization(joined);
    return leaveFor(ACCOUNT);
  });
  if (!isSignedIn) {
    return (
      <Frame title={t.invitation.joinedTitle(name)} lead={t.invitation.joinedSignIn}>
        <Button component="a" href="/sign-in">
          {t.toSignIn}
        </Button>
      </Frame>
    );
  }
  return (
    <Frame title={t.invitation.joinedTitle(name)} lead={t.invitation.joined}>
      <ErrorNote error={enter.error} />
      <Button loading={enter.busy} onClick={() => void enter.run()}>
        {t.invitation.enter(name)}
      </Button>
      <Button component="a" href={ACCOUNT} variant="default">
        {t.invitation.enterLater}
      </Button>
    </Frame>
  );
}

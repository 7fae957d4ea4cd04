import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Button, ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
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
  const more = useResultText();
  const enter = useAction(async () => {
    await client.session.switchOrganization(joined);
    return leaveFor(ACCOUNT);
  });
  if (!isSignedIn) {
    return (
      <Frame title={more.invitation.joinedTitle(name)} lead={more.invitation.joinedSignIn}>
        <ButtonLink href="/sign-in">{t.toSignIn}</ButtonLink>
      </Frame>
    );
  }
  return (
    <Frame title={more.invitation.joinedTitle(name)} lead={more.invitation.joined}>
      <ErrorNote error={enter.error} />
      <Button loading={enter.busy} onClick={() => void enter.run()}>
        {more.invitation.enter(name)}
      </Button>
      <ButtonLink href={ACCOUNT} variant="default">
        {more.invitation.enterLater}
      </ButtonLink>
    </Frame>
  );
}

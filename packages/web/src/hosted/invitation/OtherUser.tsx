import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { client } from '../client.ts';
import { Button, ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { ACCOUNT } from '../target.ts';
import type { Offer } from './find.ts';
import { InvitationFrame } from './InvitationFrame.tsx';

interface Props {
  readonly offer: Offer;
  readonly onLeft: () => void;
}

export function OtherUser({ offer: { invitation, session }, onLeft }: Props) {
  const t = useResultText().invitation;
  const leave = useAction(async () => {
    await client.session.signOut();
    onLeft();
  });
  return (
    <InvitationFrame invitation={invitation}>
      <p className="small">{t.forAnother(invitation.email, session?.user.email ?? '')}</p>
      <ErrorNote error={leave.error} />
      <Button loading={leave.busy} onClick={() => void leave.run()}>
        {t.signOut}
      </Button>
      <ButtonLink href={ACCOUNT} variant="default">
        {t.stay}
      </ButtonLink>
    </InvitationFrame>
  );
}

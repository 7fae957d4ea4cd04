import { isGatehouseError } from '@gatehouse/client';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { client } from '../client.ts';
import { Button } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
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

export function InvitedUser({ offer: { token, invitation }, onEnd, onOutdated }: Props) {
  const t = useText();
  const more = useResultText();
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
    <InvitationFrame invitation={invitation} below={<a href={ACCOUNT}>{t.notNow}</a>}>
      <p className="small">{t.here.as(invitation.email)}</p>
      <ErrorNote
        error={accept.error}
        sentences={{ forbidden: more.invitation.resetFirst }}
        links={{ forbidden: { href: '/forgot-password', label: more.forgot.title } }}
      />
      <Button loading={accept.busy} onClick={() => void accept.run()}>
        {more.invitation.accept}
      </Button>
    </InvitationFrame>
  );
}

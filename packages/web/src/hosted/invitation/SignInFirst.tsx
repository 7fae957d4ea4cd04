import type { InvitationPreview } from '@gatehouse/contract';
import { Frame } from '../Frame.tsx';
import { Button } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { useText } from '../text.ts';

interface Props {
  readonly invitation: InvitationPreview;
  readonly onSignIn: () => void;
}

/** The invited address has an account, whose user has to sign in to accept. */
export function SignInFirst({ invitation, onSignIn }: Props) {
  const t = useText();
  const more = useResultText();
  return (
    <Frame title={more.invitation.signInFirstTitle} lead={more.invitation.signInFirst(invitation.email)}>
      <Button onClick={onSignIn}>{t.toSignIn}</Button>
    </Frame>
  );
}

import type { InvitationPreview } from '@gatehouse/contract';
import { Frame } from '../Frame.tsx';
import { useMoreText } from '../more-text.ts';
import { Button } from '../parts/Button.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly invitation: InvitationPreview;
  readonly onSignIn: () => void;
}

/** The invited address has an account, whose user has to sign in to accept. */
export function SignInFirst({ invitation, onSignIn }: Props) {
  const t = useText();
  const more = useMoreText();
  return (
    <Frame title={more.invitation.signInFirstTitle} lead={more.invitation.signInFirst(invitation.email)}>
      <Button onClick={onSignIn}>{t.toSignIn}</Button>
    </Frame>
  );
}

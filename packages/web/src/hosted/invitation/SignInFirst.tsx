import type { InvitationPreview } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly invitation: InvitationPreview;
  readonly onSignIn: () => void;
}

/** The invited address has an account, whose user has to sign in to accept. */
export function SignInFirst({ invitation, onSignIn }: Props) {
  const t = useText();
  return (
    <Frame title={t.invitation.signInFirstTitle} lead={t.invitation.signInFirst(invitation.email)}>
      <Button onClick={onSignIn}>{t.toSignIn}</Button>
    </Frame>
  );
}

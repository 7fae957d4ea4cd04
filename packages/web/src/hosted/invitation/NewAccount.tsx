import { isGatehouseError } from '@gatehouse/client';
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { anything, newPassword } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { NewPasswordField } from '../form/NewPasswordField.tsx';
import { useForm } from '../form/use-form.ts';
import { ACCOUNT, leadingTo, leaveFor } from '../target.ts';
import { useText } from '../text.ts';
import { type Ending, type Offer, whyOver } from './find.ts';
import { InvitationFrame } from './InvitationFrame.tsx';
import { SignInFirst } from './SignInFirst.tsx';
import { storeToken } from './stored-token.ts';

const SIGN_IN = leadingTo('/accept-invitation', '/sign-in');

interface Props {
  readonly offer: Offer;
  readonly onEnd: (ending: Ending) => void;
  /** Called if a user has signed in meanwhile in another tab. */
  readonly onOutdated: () => void;
}

/** For an anonymous visitor: creates an account, unless the address has one, which the preview does not reveal. */
export function NewAccount({ offer: { token, invitation }, onEnd, onOutdated }: Props) {
  const t = useText();
  const { language } = useLanguage();
  const [hasAccount, setHasAccount] = useState(false);
  const join = useForm({
    checks: { display_name: anything, password: newPassword },
    send: async (values) => {
      try {
        const answer = await client.signIn.acceptInvitation({ token, ...values, locale: language });
        if (answer.status === 'success') return leaveFor(ACCOUNT);
        onEnd({ joined: answer.organization_id, isSignedIn: false });
      } catch (error) {
        const over = whyOver(error);
        if (over !== undefined) return onEnd(over);
        if (isGatehouseError(error, 'authentication_required')) return setHasAccount(true);
        if (isGatehouseError(error, 'forbidden')) return onOutdated();
        throw error;
      }
    },
  });
  const goToSignIn = () => {
    storeToken(token);
    location.assign(SIGN_IN);
  };
  if (hasAccount) return <SignInFirst invitation={invitation} onSignIn={goToSignIn} />;
  return (
    <InvitationFrame
      invitation={invitation}
      below={
        <>
          {t.invitation.hasAccount}{' '}
          <Anchor component="button" type="button" onClick={goToSignIn}>
            {t.toSignIn}
          </Anchor>
        </>
      }
    >
      <form {...join.form}>
        <Stack>
          <ErrorNote error={join.error} />
          <EmailField value={invitation.email} readOnly required={false} variant="filled" />
          <TextInput label={t.yourName} autoComplete="name" maxLength={120} {...join.field('display_name')} />
          <NewPasswordField {...join.field('password')} />
          <Button type="submit" loading={join.busy}>
            {t.invitation.join}
          </Button>
        </Stack>
      </form>
    </InvitationFrame>
  );
}

import { isGatehouseError } from '@gatehouse/client';
import { useState } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { client } from '../client.ts';
import { anything, newPassword } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { NewPasswordField } from '../form/NewPasswordField.tsx';
import { forgetDrafts, useForm } from '../form/use-form.ts';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Divider, Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { ThirdParties } from '../sign-in/ThirdParties.tsx';
import { ACCOUNT, leadingTo, leaveFor } from '../target.ts';
import { useText } from '../text.ts';
import { type Ending, type Offer, whyOver } from './find.ts';
import { InvitationFrame } from './InvitationFrame.tsx';
import { SignInFirst } from './SignInFirst.tsx';
import { storeToken } from './stored-token.ts';

const HERE = '/accept-invitation';
const SIGN_IN = leadingTo(HERE, '/sign-in');

interface Props {
  readonly offer: Offer;
  readonly onEnd: (ending: Ending) => void;
  /** Called if a user has signed in meanwhile in another tab. */
  readonly onOutdated: () => void;
}

/** For an anonymous visitor: creates an account, unless the address has one, which the preview does not reveal. */
export function NewAccount({ offer: { token, invitation, providers }, onEnd, onOutdated }: Props) {
  const t = useText();
  const more = useResultText();
  const { language } = useLanguage();
  const [hasAccount, setHasAccount] = useState(false);
  const join = useForm({
    checks: { display_name: anything, password: newPassword },
    send: async (values) => {
      try {
        const answer = await client.signIn.acceptInvitation({ token, ...values, locale: language });
        if (answer.status === 'success') {
          forgetDrafts();
          return leaveFor(ACCOUNT);
        }
        onEnd({ joined: answer.organization_id, isSignedIn: false });
      } catch (error) {
        const over = whyOver(error);
        if (over !== undefined) return onEnd(over);
        if (isGatehouseError(error, 'authentication_required')) return setHasAccount(true);
        if (isGatehouseError(error, 'forbidden')) return onOutdated();
        throw error;
      }
    },
    draft: 'invitation',
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
          {more.invitation.hasAccount}{' '}
          <button type="button" className="link" onClick={goToSignIn}>
            {t.toSignIn}
          </button>
        </>
      }
    >
      <form {...join.form}>
        <Stack>
          <ErrorNote error={join.error} />
          <EmailField value={invitation.email} readOnly required={false} />
          <Field label={t.yourName} autoComplete="name" maxLength={120} {...join.field('display_name')} />
          <NewPasswordField {...join.field('password')} />
          <Button type="submit" loading={join.busy}>
            {more.invitation.join}
          </Button>
        </Stack>
      </form>
      {providers.length > 0 && (
        <>
          <Divider label={t.signIn.or} />
          <Stack gap="small">
            <ThirdParties offered={providers} target={HERE} onLeave={() => storeToken(token)} />
          </Stack>
        </>
      )}
    </InvitationFrame>
  );
}

import { isGatehouseError, type PasskeyCredential, supportsPasskeys } from '@gatehouse/client';
import type { LoginResponse, SignInOptions } from '@gatehouse/contract';
import { Anchor, Button, Divider, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote, Note } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useAction } from '../../ui/use-action.ts';
import { email, given, isEmail } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { useForm } from '../form/use-form.ts';
import { leadingTo } from '../target.ts';
import { useText } from '../text.ts';
import { choosePasskey, offerPasskeys } from './passkey.ts';
import classes from './SignInMethods.module.css';
import { ThirdParties } from './ThirdParties.tsx';

interface Props {
  readonly options: SignInOptions;
  readonly target: string;
  readonly email: string | undefined;
  readonly onAnswer: (answer: LoginResponse) => Promise<void>;
  readonly onCode: (email: string) => void;
}

/** All sign-in methods that the service offers; they share the email field. */
export function SignInMethods({ options, target, email: known, onAnswer, onCode }: Props) {
  const t = useText().signIn;
  const emailField = useRef<HTMLInputElement>(null);
  useEffect(() => emailField.current?.focus(), []);

  const byPassword = useForm({
    checks: { email, password: given },
    send: async (values) => onAnswer(await client.signIn.withPassword(values)),
  });
  const typedEmail = () => byPassword.read().email.trim();

  const byPasskey = useAction(async (chosen?: PasskeyCredential) => {
    byPassword.clear();
    const typed = typedEmail();
    const credential = chosen ?? (await choosePasskey(isEmail(typed) ? typed : undefined));
    await onAnswer(await client.signIn.withPasskey(credential));
  });
  const hasPasskeys = options.passkey && supportsPasskeys();
  // Offered only once: a browser that answers without the user would repeat a rejected passkey forever. The button
  // remains.
  const [wasChosen, setChosen] = useState(false);
  useAutofill(hasPasskeys && !wasChosen && !byPassword.busy && !byPasskey.busy, (credential) => {
    setChosen(true);
    void byPasskey.run(credential);
  });

  const hasOthers = hasPasskeys || options.email_otp || options.oauth.length > 0;
  return (
    <>
      <ErrorNote error={byPassword.error} sentences={{ authentication_required: t.wrong, forbidden: t.notAMember }} />
      <PasskeyNote error={byPasskey.error} />
      {options.password && (
        <form {...byPassword.form}>
          <Stack>
            <EmailField
              ref={emailField}
              defaultValue={known}
              autoComplete={hasPasskeys ? 'username webauthn' : 'username'}
              {...byPassword.field('email')}
            />
            <div>
              <PasswordField autoComplete="current-password" required {...byPassword.field('password')} />
              {options.email_otp && (
                <Anchor
                  href={leadingTo(target, '/forgot-password')}
                  size="sm"
                  inherit={false}
                  className={classes.forgot}
                >
                  {t.forgot}
                </Anchor>
              )}
            </div>
            <Button type="submit" loading={byPassword.busy} onClick={byPasskey.clear}>
              {t.submit}
            </Button>
          </Stack>
        </form>
      )}
      {options.password && hasOthers && <Divider label={t.or} />}
      <Stack gap="xs">
        {hasPasskeys && (
          <Button
            variant="default"
            leftSection={<Icon name="passkey" />}
            loading={byPasskey.busy}
            onClick={() => void byPasskey.run()}
          >
            {t.passkey}
          </Button>
        )}
        {options.email_otp && (
          <Button variant="default" leftSection={<Icon name="mail" />} onClick={() => onCode(typedEmail())}>
            {t.emailCode}
          </Button>
        )}
        <ThirdParties offered={options.oauth} target={target} />
      </Stack>
    </>
  );
}

/** Why a passkey failed: the service rejected it, or the browser had none or was cancelled. */
function PasskeyNote({ error }: { error: unknown }) {
  const t = useText().signIn;
  if (error === undefined) return null;
  if (!isGatehouseError(error)) return <Note>{t.passkeyFailed}</Note>;
  return <ErrorNote error={error} sentences={{ authentication_required: t.passkeyUnknown, forbidden: t.notAMember }} />;
}

/** Offers passkeys in the autofill of the browser, except while another method is in progress. */
function useAutofill(isOffered: boolean, onChosen: (credential: PasskeyCredential) => void): void {
  const latest = useRef(onChosen);
  latest.current = onChosen;
  useEffect(() => {
    if (!isOffered) return;
    const controller = new AbortController();
    void offerPasskeys(controller.signal).then((credential) => {
      if (credential) latest.current(credential);
    });
    return () => controller.abort();
  }, [isOffered]);
}

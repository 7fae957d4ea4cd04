import type { PasskeyCredential } from '@gatehouse/client';
import type { LoginResponse, SignInOptions } from '@gatehouse/contract';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { client } from '../client.ts';
import { email, given, isEmail } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { useForm } from '../form/use-form.ts';
import { keep, readKept } from '../kept.ts';
import { Button } from '../parts/Button.tsx';
import { PasswordField } from '../parts/PasswordField.tsx';
import { Divider, Stack } from '../parts/Stack.tsx';
import { leadingTo } from '../target.ts';
import { useText } from '../text.ts';
import { PasskeyNote } from './PasskeyNote.tsx';
import { offerPasskeys } from './passkey.ts';
import { SsoLink } from './SsoLink.tsx';
import { ThirdParties } from './ThirdParties.tsx';
import { type Connection, useConnection } from './use-connection.ts';
import { offersPasskeys, usePasskey } from './use-passkey.ts';

interface Props {
  readonly options: SignInOptions;
  readonly target: string;
  readonly onAnswer: (answer: LoginResponse, email?: string) => Promise<void>;
  readonly onCode: () => void;
}

export function SignInMethods({ options, target, onAnswer, onCode }: Props) {
  const t = useText().signIn;
  const form = useRef<HTMLDivElement>(null);
  const [known] = useState(() => readKept().email ?? '');
  useEffect(() => {
    const fields = form.current?.querySelectorAll('input') ?? [];
    fields[isEmail(known) ? 1 : 0]?.focus();
  }, [known]);

  const sso = useConnection(known);
  const link = useRef<HTMLAnchorElement>(null);
  /** The connection that the user does not want to use. */
  const [declined, setDeclined] = useState<string>();
  const { connection } = sso;
  const isRequired = (found: Connection | null | undefined) => found?.required === true && found.id !== declined;
  const isSsoOnly = isRequired(connection);

  const byPassword = useForm({
    checks: { email, password: given },
    send: async (values) => {
      // A password manager may have filled in the form without an event.
      if (isRequired(await sso.ask(values.email))) return;
      await onAnswer(await client.signIn.withPassword(values), values.email.trim());
    },
  });
  const typedEmail = () => byPassword.read().email.trim();
  const keepEmail = () => {
    keep({ email: typedEmail() });
    sso.askSoon(typedEmail());
  };
  // Moves the focus when the link for single sign-on replaces the password field, or the field is shown again.
  useEffect(() => {
    if (isSsoOnly && document.activeElement === document.body) link.current?.focus();
    if (declined !== undefined && !isSsoOnly) form.current?.querySelectorAll('input')[1]?.focus();
  }, [isSsoOnly, declined]);
  const submit = (event: FormEvent) => {
    if (!isSsoOnly) return byPassword.form.onSubmit(event);
    event.preventDefault();
    link.current?.click();
  };

  const passkey = usePasskey(() => {
    const typed = typedEmail();
    return isEmail(typed) ? typed : undefined;
  }, onAnswer);
  const byPasskey = (chosen?: PasskeyCredential) => {
    byPassword.clear();
    void passkey.run(chosen);
  };
  const hasPasskeys = offersPasskeys(options);
  // Autofill is offered once: a browser that answers without asking the user would repeat a rejected passkey forever.
  const [wasChosen, setChosen] = useState(false);
  useAutofill(hasPasskeys && !wasChosen && !byPassword.busy && !passkey.busy, (credential) => {
    setChosen(true);
    byPasskey(credential);
  });

  const hasOthers = connection !== undefined || hasPasskeys || options.email_otp || options.oauth.length > 0;
  const forgot = options.email_otp ? { href: leadingTo(target, '/forgot-password'), label: t.forgot } : undefined;
  return (
    <>
      <ErrorNote
        error={byPassword.error}
        sentences={{ authentication_required: t.wrong, forbidden: t.notAMember }}
        links={{ authentication_required: forgot && { ...forgot, label: t.newPassword } }}
      />
      <PasskeyNote error={passkey.error} />
      {options.password && (
        <form {...byPassword.form} onSubmit={submit}>
          <div ref={form}>
            <Stack>
              <EmailField
                defaultValue={known}
                autoComplete={hasPasskeys ? 'username webauthn' : 'username'}
                onChange={keepEmail}
                onBlur={() => void sso.ask(typedEmail())}
                below={<div role="status">{isSsoOnly && <p className="small">{t.ssoRequired}</p>}</div>}
                {...byPassword.field('email')}
              />
              {isSsoOnly && connection ? (
                <SsoLink ref={link} connection={connection} target={target} email={sso.email} />
              ) : (
                <>
                  <PasswordField
                    autoComplete="current-password"
                    required
                    below={
                      forgot && (
                        // A password manager may have filled in the email field without an event.
                        <a href={forgot.href} className="small" onClick={keepEmail}>
                          {forgot.label}
                        </a>
                      )
                    }
                    {...byPassword.field('password')}
                  />
                  <Button type="submit" loading={byPassword.busy} onClick={passkey.clear}>
                    {t.submit}
                  </Button>
                </>
              )}
            </Stack>
          </div>
        </form>
      )}
      {isSsoOnly ? (
        <p className="small">
          {t.ssoOtherWayHint}{' '}
          <button type="button" className="link" onClick={() => setDeclined(connection?.id)}>
            {t.ssoOtherWay}
          </button>
        </p>
      ) : (
        <>
          {options.password && hasOthers && <Divider label={t.or} />}
          <Stack gap="small">
            {connection && <SsoLink connection={connection} target={target} email={sso.email} />}
            {hasPasskeys && (
              <Button
                variant="default"
                icon={<Icon name="passkey" />}
                loading={passkey.busy}
                onClick={() => byPasskey()}
              >
                {t.passkey}
              </Button>
            )}
            {options.email_otp && (
              <Button
                variant="default"
                icon={<Icon name="mail" />}
                onClick={() => {
                  keepEmail();
                  onCode();
                }}
              >
                {t.emailCode}
              </Button>
            )}
            <ThirdParties offered={options.oauth} target={target} />
          </Stack>
        </>
      )}
    </>
  );
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

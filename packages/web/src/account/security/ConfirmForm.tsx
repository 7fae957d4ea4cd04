import { Stack, Text } from '@mantine/core';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { useForm } from '../../app/use-form.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useText } from './text.ts';

interface Props {
  readonly question: string;
  readonly verb: string;
  readonly danger?: boolean;
  /** `password` is undefined for an account that has none: the service then requires a fresh sign-in. */
  readonly work: (password: string | undefined) => Promise<unknown>;
}

/** Asks for the password before an action that weakens the account or shows its recovery codes. */
export function ConfirmForm({ question, verb, danger = false, work }: Props) {
  const t = useText();
  const { email, has_password } = useMe();
  const form = useForm({
    values: { password: '' },
    guarded: false,
    send: ({ password }) => work(has_password ? password : undefined),
  });
  const sentences = {
    authentication_required: t.wrongPassword,
    rate_limited: t.passwordsLocked,
    conflict: t.mfa.conflict,
  };
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">{question}</Text>
        <ErrorNote error={form.error} sentences={sentences} />
        {has_password && (
          <>
            <UsernameHint email={email} />
            <PasswordField
              label={t.yourPassword}
              autoComplete="current-password"
              required
              data-autofocus
              {...form.field('password')}
            />
          </>
        )}
        <FormButtons verb={verb} busy={form.busy} danger={danger} focused={!has_password} />
      </Stack>
    </form>
  );
}

import { Stack, Text, TextInput } from '@mantine/core';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

interface Props {
  readonly onSent: (email: string) => void;
}

export function ChangeEmail({ onSent }: Props) {
  const t = useText().email;
  return (
    <DialogButton size="xs" verb={t.change} title={t.changeTitle}>
      <Form onSent={onSent} />
    </DialogButton>
  );
}

/** The response does not say whether the address is in use; only its owner learns that, by mail. */
function Form({ onSent }: Props) {
  const t = useText().email;
  const words = useWords();
  const me = useMe();
  const close = useCloseDialog();
  const form = useForm({
    values: { email: '', password: '' },
    check: ({ email }) => ({ email: email.trim().toLowerCase() === me.email ? t.same : undefined }),
    send: async ({ email, password }) => {
      await client.account.changeEmail({ email, ...(me.has_password && { password }) });
      onSent(email.trim());
      close();
    },
  });
  const sentences = {
    authentication_required: t.wrongPassword,
    invalid_input: words.emailWrong,
    rate_limited: t.locked,
  };
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">{t.explain}</Text>
        <ErrorNote error={form.error} sentences={sentences} />
        <TextInput
          inputMode="email"
          autoCapitalize="none"
          label={t.newEmail}
          autoComplete="email"
          required
          data-autofocus
          {...form.field('email')}
        />
        {me.has_password && (
          <>
            <UsernameHint email={me.email} />
            <PasswordField label={t.password} autoComplete="current-password" required {...form.field('password')} />
          </>
        )}
        <FormButtons verb={t.submit} busy={form.busy} />
      </Stack>
    </form>
  );
}
